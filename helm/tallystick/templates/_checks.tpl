{{/* What values.schema.json cannot say in words: values that are missing, and values that contradict each other. */}}
{{- define "tallystick.checks" -}}
{{- include "tallystick.namesThatFit" . -}}
{{- include "tallystick.requiredValues" . -}}
{{- include "tallystick.settingsThatFit" . -}}
{{- include "tallystick.certificateThatFits" . -}}
{{- include "tallystick.memoryThatFits" . -}}
{{- include "tallystick.operationsThatFit" . -}}
{{- include "tallystick.extrasThatFit" . -}}
{{- include "tallystick.clusterThatFits" . -}}
{{- end }}

{{- define "tallystick.clusterThatFits" -}}
{{- if eq .Values.mode "cluster" -}}
{{- with .Values.cluster.tls -}}
{{- range $name, $secret := dict "cluster.tls.serverSecretName" .serverSecretName "cluster.tls.masterSecretName" .masterSecretName "cluster.tls.proxySecretName" .proxySecretName -}}
{{- if not $secret -}}
{{- fail (printf "%s is missing: a Secret with tls.crt, tls.key and ca.crt, by which the processes of the cluster know each other" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if .Values.config.ipv6 -}}
{{- fail "config.ipv6 is set, and the processes of a cluster speak IPv4 to each other" -}}
{{- end -}}
{{- if eq .Values.config.gpu "require" -}}
{{- fail "config.gpu is require, and no process of a cluster uses a device" -}}
{{- end -}}
{{- if or .Values.config.time.tLedger .Values.config.time.submitters -}}
{{- fail "config.time.tLedger is set or config.time.submitters given: with mode: cluster the chart can found no T-Ledger (helm/README.md)" -}}
{{- end -}}
{{- if not (or .Values.networkPolicy.enabled .Values.cluster.wallsElsewhere) -}}
{{- fail "networkPolicy.enabled is false: ZooKeeper and bookies, which have no certificates, could be reached by all. If something else keeps others out, set cluster.wallsElsewhere" -}}
{{- end -}}
{{- include "tallystick.noneOfOneNode" . -}}
{{- end -}}
{{- end }}

{{/* Values of one node, and what they are when they are not given. */}}
{{- define "tallystick.noneOfOneNode" -}}
{{- $unused := dict "resources" (ne (toJson .Values.resources) "{\"limits\":{\"memory\":\"512Mi\"},\"requests\":{\"cpu\":\"500m\",\"memory\":\"512Mi\"}}") -}}
{{- with .Values -}}
{{- $_ := set $unused "extraArgs" .extraArgs -}}
{{- $_ := set $unused "extraVolumes" .extraVolumes -}}
{{- $_ := set $unused "extraVolumeMounts" .extraVolumeMounts -}}
{{- $_ := set $unused "jvm.options" .jvm.options -}}
{{- $_ := set $unused "persistence.existingClaim" .persistence.existingClaim -}}
{{- $_ := set $unused "persistence.size" (ne .persistence.size "10Gi") -}}
{{- $_ := set $unused "persistence.storageClass" .persistence.storageClass -}}
{{- $_ := set $unused "podDisruptionBudget" (or .podDisruptionBudget.enabled (ne (int64 .podDisruptionBudget.maxUnavailable) 0)) -}}
{{- end -}}
{{- range $name, $value := $unused -}}
{{- if $value -}}
{{- fail (printf "%s is given, which mode: cluster does not use" $name) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "tallystick.namesThatFit" -}}
{{- $name := include "tallystick.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
{{- fail (printf "%s is no name of a Service, which begins with a letter and has no dot: set fullnameOverride" $name) -}}
{{- end -}}
{{- if contains ":" (base .Values.image.repository) -}}
{{- fail (printf "image.repository has a tag: %s belongs into image.tag" (splitList ":" (base .Values.image.repository) | last)) -}}
{{- end -}}
{{- range $where, $address := dict "config.authority" .Values.config.authority "config.time.submit.at" .Values.config.time.submit.at -}}
{{- $port := regexFind "[0-9]+$" (regexFind ":[0-9]+$" ($address | default "")) -}}
{{- if gt (int64 $port) 65535 -}}
{{- fail (printf "%s has the port %s: ports end at 65535" $where $port) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "tallystick.requiredValues" -}}
{{- if not .Values.keys.secretName -}}
{{- fail "keys.secretName is missing: the Secret with the service's keys. Make one, once, and keep the file: tally keys --secret NAME >keys.yaml; kubectl create -f keys.yaml" -}}
{{- end -}}
{{- if not .Values.config.authority -}}
{{- fail "config.authority is missing: the service's public name, which its ledgers carry for ever" -}}
{{- end -}}
{{- with .Values.tls -}}
{{- if and .secretName .certManager.enabled -}}
{{- fail "tls.secretName and tls.certManager.enabled are both given: the certificate comes from one of them" -}}
{{- end -}}
{{- if not (or .secretName .certManager.enabled) -}}
{{- fail "tls.secretName is missing, a Secret with tls.crt and tls.key; or set tls.certManager.enabled" -}}
{{- end -}}
{{- if and .certManager.enabled (not .certManager.issuerName) -}}
{{- fail "tls.certManager.issuerName is missing: who signs the certificate" -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "tallystick.settingsThatFit" -}}
{{- with .Values.config -}}
{{- $ports := list (int64 .port) (int64 .httpPort) (int64 .management.port) -}}
{{- if ne (len (uniq $ports)) 3 -}}
{{- fail "config.port, config.httpPort and config.management.port must differ" -}}
{{- end -}}
{{- if and .founders.lines .founders.file -}}
{{- fail "config.founders.lines and config.founders.file are both given: there is one list" -}}
{{- end -}}
{{- if and .time.authorities (not .time.ca) -}}
{{- fail "config.time.ca is missing: whom to believe the time of config.time.authorities is for you to say" -}}
{{- end -}}
{{- with .time.submit -}}
{{- if and (or .at .id .ledgers) (not (and .at .id .ledgers)) -}}
{{- fail "config.time.submit needs all of at, id and ledgers" -}}
{{- end -}}
{{- if and (has "all" .ledgers) (gt (len .ledgers) 1) -}}
{{- fail "config.time.submit.ledgers has `all` beside ids of ledgers" -}}
{{- end -}}
{{- end -}}
{{- with .witness -}}
{{- if and (or .witnesses .ledgers) (not (and .witnesses .ledgers)) -}}
{{- fail "config.witness needs both witnesses and ledgers" -}}
{{- end -}}
{{- if and .witnesses (gt (int64 .quorum) (int64 (len .witnesses))) -}}
{{- fail (printf "config.witness.quorum is %d, of %d config.witness.witnesses" (int64 .quorum) (len .witnesses)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "tallystick.operationsThatFit" -}}
{{- $own := .Values.pod.terminationGraceSeconds | int64 -}}
{{- $least := add 15 (int64 .Values.config.shutdownDelay) -}}
{{- if and $own (lt $own $least) -}}
{{- fail (printf "pod.terminationGraceSeconds is %d: config.shutdownDelay and the drain need %d" $own $least) -}}
{{- end -}}
{{- if and $own (lt $own 90) (eq .Values.mode "cluster") -}}
{{- fail (printf "pod.terminationGraceSeconds is %d: a server hands over and ships its shards, and may need 90" $own) -}}
{{- end -}}
{{- with .Values.persistence -}}
{{- if and .existingClaim (or .storageClass .annotations) -}}
{{- fail "persistence.existingClaim is given: persistence.storageClass and persistence.annotations are of a claim that is made" -}}
{{- end -}}
{{- end -}}
{{- if eq (int64 .Values.service.port) (int64 .Values.service.httpPort) -}}
{{- fail "service.port and service.httpPort must differ" -}}
{{- end -}}
{{- $number := regexFind "^[0-9]+" .Values.serviceMonitor.interval | int64 -}}
{{- $seconds := ternary (mul 60 $number) $number (hasSuffix "m" .Values.serviceMonitor.interval) -}}
{{- if or (lt $seconds 15) (gt $seconds 60) -}}
{{- fail (printf "serviceMonitor.interval is %s: the alerts need 15s to 60s" .Values.serviceMonitor.interval) -}}
{{- end -}}
{{- with .Values.networkPolicy -}}
{{- if and .enabled $.Values.serviceMonitor.enabled (not .scrapers) -}}
{{- fail "networkPolicy.scrapers is empty: nobody may scrape, and serviceMonitor.enabled wants it" -}}
{{- end -}}
{{- $config := $.Values.config -}}
{{- $reaches := or $config.time.authorities $config.time.submit.at $config.witness.witnesses $config.tracing.endpoint -}}
{{- if and .enabled $reaches (not .egress) -}}
{{- fail "networkPolicy.egress is empty: the service could not reach what config.time, config.witness or config.tracing name" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.test.ownerSecretName .Values.tls.clientCa (not .Values.test.clientSecretName) -}}
{{- fail "test.clientSecretName is missing: tls.clientCa wants a certificate of the test, too" -}}
{{- end -}}
{{- end }}

{{- define "tallystick.certificateThatFits" -}}
{{- with .Values.tls.certManager -}}
{{- if and .enabled (regexMatch "^[0-9]+h$" .duration) (regexMatch "^[0-9]+h$" .renewBefore) -}}
{{- if ge (trimSuffix "h" .renewBefore | int64) (trimSuffix "h" .duration | int64) -}}
{{- fail (printf "tls.certManager.renewBefore is %s, and tls.certManager.duration only %s" .renewBefore .duration) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The image's heap is 384 MB; with another less may do for one node. */}}
{{- define "tallystick.memoryThatFits" -}}
{{- if eq .Values.mode "single" -}}
{{- include "tallystick.limitThatFits" (list "resources" .Values.resources 268435456 "the service needs 256Mi at least") -}}
{{- else -}}
{{- range $name, $values := dict "cluster.zookeeper.resources" .Values.cluster.zookeeper "cluster.bookies.resources" .Values.cluster.bookies "cluster.servers.resources" .Values.cluster.servers "cluster.masters.resources" .Values.cluster.masters "cluster.proxies.resources" .Values.cluster.proxies -}}
{{- $heap := "384m" -}}
{{- range $values.jvmOptions -}}
{{- $heap = regexFind "^-Xmx[0-9]+[kKmMgG]?$" . | trimPrefix "-Xmx" | default $heap -}}
{{- end -}}
{{- $unit := regexFind "[a-zA-Z]$" $heap -}}
{{- $bytes := include "tallystick.bytes" (ternary $heap (printf "%s%si" (trimSuffix $unit $heap) (upper $unit)) (eq $unit "")) | int64 -}}
{{- include "tallystick.limitThatFits" (list $name $values.resources (add $bytes 134217728) (printf "a heap of %s needs 128Mi more" $heap)) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* (list NAME RESOURCES BYTES-AT-LEAST WHY). */}}
{{- define "tallystick.limitThatFits" -}}
{{- $name := index . 0 -}}
{{- $limit := dig "limits" "memory" "" (index . 1) -}}
{{- $request := dig "requests" "memory" "" (index . 1) -}}
{{- if ne (toString $limit) "" -}}
{{- $most := include "tallystick.bytes" $limit | int64 -}}
{{- if lt $most (index . 2 | int64) -}}
{{- fail (printf "%s.limits.memory is %v: %s" $name $limit (index . 3)) -}}
{{- end -}}
{{- if gt (include "tallystick.bytes" $request | int64) $most -}}
{{- fail (printf "%s.limits.memory is %v, less than %s.requests.memory, %v" $name $limit $name $request) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* A quantity of Kubernetes as a whole number of bytes; 0 where it is empty. */}}
{{- define "tallystick.bytes" -}}
{{- if kindIs "string" . -}}
{{- $unit := regexFind "[A-Za-z]*$" . -}}
{{- $powers := dict "" 1.0 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0 -}}
{{- mulf (trimSuffix $unit . | float64) (get $powers $unit) | int64 -}}
{{- else -}}
{{- int64 . -}}
{{- end -}}
{{- end }}

{{/* What belongs to the chart must not come a second time as something further. */}}
{{- define "tallystick.extrasThatFit" -}}
{{- range .Values.extraEnv -}}
{{- if regexMatch "^(TALLY_(DATA|GPU|MANAGEMENT_ADDRESS|MANAGEMENT_PORT|SHUTDOWN_DELAY)|TALLYSTICK_.*)$" .name -}}
{{- fail (printf "extraEnv has %s, which the chart decides or has as a value" .name) -}}
{{- end -}}
{{- end -}}
{{- $own := include "tallystick.ownOptions" . | splitList " " -}}
{{- range .Values.extraArgs -}}
{{- if has (regexFind "^--[a-z0-9-]+" .) $own -}}
{{- fail (printf "extraArgs has %s, which the chart decides or has as a value" .) -}}
{{- end -}}
{{- end -}}
{{- end }}
