{{/* Names, labels and security of everything that is made. They say nothing about how many nodes there are. */}}

{{- define "tallystick.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{/* At most 48 characters: `-management` and a pod's number come behind it. */}}
{{- define "tallystick.fullname" -}}
{{- $name := include "tallystick.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 48 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 48 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 48 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{/* Which do not change in the life of a release. */}}
{{- define "tallystick.selectorLabels" -}}
app.kubernetes.io/name: {{ include "tallystick.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{/* The pods that serve clients. */}}
{{- define "tallystick.nodeLabels" -}}
{{ include "tallystick.selectorLabels" . }}
app.kubernetes.io/component: {{ ternary "node" "proxy" (eq .Values.mode "single") }}
{{- end }}

{{- define "tallystick.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "tallystick.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* Name, namespace and labels of an object: (list $ SUFFIX COMPONENT MORE-LABELS). */}}
{{- define "tallystick.metadata" -}}
{{- $root := index . 0 -}}
name: {{ printf "%s%s" (include "tallystick.fullname" $root) (index . 1) | quote }}
namespace: {{ $root.Release.Namespace | quote }}
labels:
  {{- include "tallystick.labels" $root | nindent 2 }}
  app.kubernetes.io/component: {{ index . 2 }}
  {{- with merge dict (index . 3) $root.Values.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "tallystick.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end }}

{{/* PodSecurity `restricted`. 10001 is the image's user. */}}
{{- define "tallystick.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
# Else each mount gives the group what only the service may read.
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "tallystick.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop:
    - ALL
{{- end }}

{{/* What the pod of the service and that of the test have in common. */}}
{{- define "tallystick.podBasics" -}}
automountServiceAccountToken: false
# The addresses of Services would come as TALLYSTICK_PORT, which is a setting.
enableServiceLinks: false
securityContext:
  {{- include "tallystick.podSecurity" . | nindent 2 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ quote . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* The image's entry, with these options of the JVM behind its own. */}}
{{- define "tallystick.command" -}}
- /opt/tallystick/runtime/bin/java
- "@/opt/tallystick/service.args"
{{- range . }}
- {{ quote . }}
{{- end }}
- "@/opt/tallystick/class-path.args"
- io.tallystick.cli.Tally
{{- end }}

{{/* The Secret with the service's certificate. */}}
{{- define "tallystick.tlsSecret" -}}
{{- .Values.tls.secretName | default (printf "%s-tls" (include "tallystick.fullname" .)) -}}
{{- end }}

{{/* The service's keys, for what signs alone. */}}
{{- define "tallystick.keysVolume" -}}
- name: keys
  secret:
    secretName: {{ .Values.keys.secretName | quote }}
    defaultMode: 0440
    items:
      - key: note.pem
        path: note.pem
      - key: receipt.pem
        path: receipt.pem
      {{- range .Values.keys.further }}
      - key: {{ . }}.note.pem
        path: {{ . }}/note.pem
      - key: {{ . }}.receipt.pem
        path: {{ . }}/receipt.pem
      {{- end }}
{{- end }}

{{/* The service's certificate, for what clients reach. */}}
{{- define "tallystick.tlsVolume" -}}
- name: tls
  secret:
    secretName: {{ include "tallystick.tlsSecret" . | quote }}
    defaultMode: 0440
    items:
      - key: tls.crt
        path: tls.crt
      - key: tls.key
        path: tls.key
{{- end }}

{{/* The host of the authority, without its port. */}}
{{- define "tallystick.host" -}}
{{- splitList ":" .Values.config.authority | first -}}
{{- end }}

{{/*
The files that values name, as a list in JSON: each has a volume, a folder of the pod's
/etc/tallystick, and a key of the ConfigMap or Secret that it is in.
*/}}
{{- define "tallystick.files" -}}
{{- $files := list -}}
{{- with .Values.tls.clientCa -}}
{{- $files = append $files (dict "name" "client-ca" "source" .) -}}
{{- end -}}
{{- if .Values.config.founders.lines -}}
{{- $own := dict "configMap" (printf "%s-founders" (include "tallystick.fullname" $)) "key" "founders.txt" -}}
{{- $files = append $files (dict "name" "founders" "source" $own) -}}
{{- end -}}
{{- with .Values.config.founders.file -}}
{{- $files = append $files (dict "name" "founders" "source" .) -}}
{{- end -}}
{{- range $at, $source := .Values.config.members.ca -}}
{{- $files = append $files (dict "name" (printf "member-ca-%d" $at) "source" $source) -}}
{{- end -}}
{{- with .Values.config.time.ca -}}
{{- $files = append $files (dict "name" "time-ca" "source" .) -}}
{{- end -}}
{{- with .Values.config.time.submitters -}}
{{- $files = append $files (dict "name" "submitters" "source" .) -}}
{{- end -}}
{{- with .Values.config.time.submit.invitation -}}
{{- $files = append $files (dict "name" "submit-invitation" "source" .) -}}
{{- end -}}
{{- toJson $files -}}
{{- end }}

{{/* The path in the pod of the file of that name: (list $ NAME); empty if there is none. */}}
{{- define "tallystick.path" -}}
{{- range include "tallystick.files" (index . 0) | fromJsonArray -}}
{{- if eq .name (index $ 1) -}}
/etc/tallystick/{{ .name }}/{{ .source.key }}
{{- end -}}
{{- end -}}
{{- end }}
