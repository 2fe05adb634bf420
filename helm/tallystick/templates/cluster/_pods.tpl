{{/* Labels by which the pods of a role are found: (list $ COMPONENT). */}}
{{- define "tallystick.roleLabels" -}}
{{ include "tallystick.selectorLabels" (index . 0) }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* Labels and annotations of the pods of a role: (list $ COMPONENT ANNOTATIONS). */}}
{{- define "tallystick.rolePodMetadata" -}}
{{- $root := index . 0 -}}
labels:
  {{- include "tallystick.roleLabels" . | nindent 2 }}
  {{- with merge dict $root.Values.pod.labels $root.Values.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge dict (index . 2) $root.Values.pod.annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/*
Where the pods of a role stand: (list $ COMPONENT). Two on one node are lost at once: of ZooKeeper or bookies
that could be what was acknowledged.
*/}}
{{- define "tallystick.roleAffinity" -}}
{{- $root := index . 0 -}}
{{- $own := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (dict "matchLabels" (include "tallystick.roleLabels" . | fromYaml)) -}}
{{- $apart := get $root.Values.pod.affinity "podAntiAffinity" | default dict -}}
{{- $when := "preferredDuringSchedulingIgnoredDuringExecution" -}}
{{- if and $root.Values.cluster.ownNodes (has (index . 1) (list "zookeeper" "bookie")) -}}
{{- $when = "requiredDuringSchedulingIgnoredDuringExecution" -}}
{{- else -}}
{{- $own = dict "weight" 100 "podAffinityTerm" $own -}}
{{- end -}}
{{- $all := append (get $apart $when | default list) $own -}}
{{- toYaml (merge (dict "podAntiAffinity" (merge (dict $when $all) $apart)) $root.Values.pod.affinity) -}}
{{- end }}

{{/* How long the pods of a role may take to end: (list $ COMPONENT). A server hands over and ships its shards. */}}
{{- define "tallystick.roleGrace" -}}
{{- $root := index . 0 -}}
{{- $usual := add 60 (int64 $root.Values.config.shutdownDelay) -}}
{{- $root.Values.pod.terminationGraceSeconds | default (ternary 120 $usual (eq (index . 1) "server")) | int64 -}}
{{- end }}

{{/* What the pods of all roles have in common: (list $ COMPONENT). */}}
{{- define "tallystick.rolePod" -}}
{{- $root := index . 0 -}}
{{- include "tallystick.podBasics" $root }}
terminationGracePeriodSeconds: {{ include "tallystick.roleGrace" . }}
{{- with $root.Values.pod.priorityClassName }}
priorityClassName: {{ quote . }}
{{- end }}
{{- with $root.Values.pod.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.pod.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
affinity:
  {{- include "tallystick.roleAffinity" . | nindent 2 }}
{{- end }}

{{/* A container of a role but its arguments, ports and volumes: (list $ NAME VALUES-OF-THE-ROLE). */}}
{{- define "tallystick.roleContainer" -}}
{{- $root := index . 0 -}}
name: {{ index . 1 }}
image: {{ include "tallystick.image" $root | quote }}
imagePullPolicy: {{ $root.Values.image.pullPolicy }}
command:
  - /opt/tallystick/runtime/bin/java
  - "@/opt/tallystick/cluster.args"
  {{- range (index . 2).jvmOptions }}
  - {{ quote . }}
  {{- end }}
  - io.tallystick.cluster.process.ClusterTally
resources:
  {{- toYaml (index . 2).resources | nindent 2 }}
securityContext:
  {{- include "tallystick.containerSecurity" $root | nindent 2 }}
env:
  - name: POD_NAME
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
  - name: POD_IP
    valueFrom:
      fieldRef:
        fieldPath: status.podIP
  {{- with $root.Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Of the container of a role: (list $ SECONDS-TO-START). */}}
{{- define "tallystick.roleProbes" -}}
startupProbe:
  httpGet:
    path: /actuator/health/liveness
    port: management
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: {{ div (add 4 (int64 (index . 1))) 5 }}
livenessProbe:
  httpGet:
    path: /actuator/health/liveness
    port: management
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet:
    path: /actuator/health/readiness
    port: management
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end }}

{{- define "tallystick.managementArgs" -}}
- --management-address=0.0.0.0
- --management-port={{ int64 .Values.config.management.port }}
{{- end }}

{{- define "tallystick.managementPort" -}}
- name: management
  containerPort: {{ int64 .Values.config.management.port }}
{{- end }}

{{/* The hosts of ZooKeeper, which all must have in the same order, with what comes behind each: (list $ PORT). */}}
{{- define "tallystick.zooKeepers" -}}
{{- $root := index . 0 -}}
{{- $name := include "tallystick.fullname" $root -}}
{{- $hosts := list -}}
{{- range $at := until (int $root.Values.cluster.zookeeper.replicas) -}}
{{- $hosts = append $hosts (printf "%s-zookeeper-%d.%s-zookeeper.%s.svc%s" $name $at $name $root.Release.Namespace (index $ 1)) -}}
{{- end -}}
{{- join "," $hosts -}}
{{- end }}

{{- define "tallystick.clusterArgs" -}}
- --zookeeper={{ include "tallystick.zooKeepers" (list . ":2181") }}
- --cluster={{ .Values.cluster.name }}
{{- end }}

{{- define "tallystick.clusterTlsArgs" -}}
- --cluster-ca=/etc/tallystick/cluster/ca.crt
- --cluster-certificate=/etc/tallystick/cluster/tls.crt
- --cluster-private-key=/etc/tallystick/cluster/tls.key
{{- end }}

{{- define "tallystick.clusterTlsMount" -}}
- name: cluster-tls
  mountPath: /etc/tallystick/cluster
  readOnly: true
{{- end }}

{{/* The certificate of a role: the name of its Secret. */}}
{{- define "tallystick.clusterTlsVolume" -}}
- name: cluster-tls
  secret:
    secretName: {{ quote . }}
    defaultMode: 0440
    items:
      - key: ca.crt
        path: ca.crt
      - key: tls.crt
        path: tls.crt
      - key: tls.key
        path: tls.key
{{- end }}

{{- define "tallystick.tmpVolume" -}}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- end }}

{{/* The settings of a role as a file: (list $ FILE). */}}
{{- define "tallystick.settingsVolume" -}}
- name: settings
  configMap:
    name: {{ include "tallystick.fullname" (index . 0) }}-settings
    defaultMode: 0440
    items:
      - key: {{ index . 1 }}
        path: {{ index . 1 }}
{{- end }}

{{- define "tallystick.settingsMount" -}}
- name: settings
  mountPath: /etc/tallystick/settings
  readOnly: true
{{- end }}

{{/* Volumes, or with `mounts` their mounts, of the files whose names begin so: (list $ (list PREFIX ...) WHAT). */}}
{{- define "tallystick.roleFiles" -}}
{{- $wanted := index . 1 -}}
{{- $mounts := eq (index . 2) "mounts" -}}
{{- range include "tallystick.files" (index . 0) | fromJsonArray }}
{{- $file := . }}
{{- range $wanted }}
{{- if hasPrefix . $file.name }}
- name: {{ $file.name }}
{{- if $mounts }}
  mountPath: /etc/tallystick/{{ $file.name }}
  readOnly: true
{{- else }}
  {{- with $file.source.configMap }}
  configMap:
    name: {{ quote . }}
  {{- end }}
  {{- with $file.source.secret }}
  secret:
    secretName: {{ quote . }}
  {{- end }}
    defaultMode: 0440
    items:
      - key: {{ $file.source.key | quote }}
        path: {{ $file.source.key | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* A claim of each pod of a StatefulSet: (list $ COMPONENT NAME SIZE CLASS). */}}
{{- define "tallystick.claim" -}}
{{- $root := index . 0 -}}
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata:
    name: {{ index . 2 }}
    # Nothing that changes with the chart: Kubernetes refuses another template.
    labels:
      {{- include "tallystick.roleLabels" . | nindent 6 }}
    {{- with $root.Values.persistence.annotations }}
    annotations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
  spec:
    accessModes:
      - {{ $root.Values.persistence.accessMode }}
    {{- with index . 4 }}
    storageClassName: {{ quote . }}
    {{- end }}
    resources:
      requests:
        storage: {{ index . 3 | quote }}
{{- end }}

{{/* What StatefulSets of all roles have in common: (list $ COMPONENT). Their pods start at once: none waits for another. */}}
{{- define "tallystick.roleSet" -}}
{{- $root := index . 0 -}}
serviceName: {{ include "tallystick.fullname" $root }}-{{ index . 1 }}
podManagementPolicy: Parallel
persistentVolumeClaimRetentionPolicy:
  whenDeleted: Retain
  whenScaled: Retain
selector:
  matchLabels:
    {{- include "tallystick.roleLabels" . | nindent 4 }}
{{- end }}

{{/* The names of the pods of a StatefulSet, ready or not: (list $ COMPONENT). */}}
{{- define "tallystick.roleNames" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "tallystick.metadata" (list (index . 0) (printf "-%s" (index . 1)) (index . 1) dict) | nindent 2 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    {{- include "tallystick.roleLabels" . | nindent 4 }}
{{- end }}
