{{/* The settings as words of `tally up`, one a line. Every setting is given, also one that is the default. */}}
{{- define "tallystick.args" -}}
{{- $any := ternary "::" "0.0.0.0" .Values.config.ipv6 -}}
{{- with .Values.config -}}
- up
- --keys=/etc/tallystick/keys
- {{ printf "--address=%s" $any | quote }}
- --port={{ int64 .port }}
- --http-port={{ int64 .httpPort }}
- {{ printf "--management-address=%s" $any | quote }}
- --management-port={{ int64 .management.port }}
- --authority={{ .authority }}
- --tls-certificate=/etc/tallystick/tls/tls.crt
- --tls-private-key=/etc/tallystick/tls/tls.key
{{- with include "tallystick.path" (list $ "client-ca") }}
- --tls-client-ca={{ . }}
{{- end }}
{{- with include "tallystick.path" (list $ "founders") }}
- --founders={{ . }}
{{- end }}
{{- range $at, $_ := .members.ca }}
- --member-ca={{ include "tallystick.path" (list $ (printf "member-ca-%d" $at)) }}
{{- end }}
- --member-journals={{ int64 .limits.memberJournalsPerSecond }}
- --member-reads={{ int64 .limits.memberReadsPerSecond }}
- --connection-age={{ int64 .connectionAge }}
- --shutdown-delay={{ int64 .shutdownDelay }}
- --gpu={{ .gpu }}
- --log-format={{ .logFormat }}
{{- if .ipv6 }}
- --ipv6
{{- end }}
{{- with .tracing }}
- --trace-sampling={{ .sampling }}
{{- with .endpoint }}
- {{ printf "--trace-to=%s" . | quote }}
{{- end }}
{{- end }}
{{- include "tallystick.timeArgs" $ }}
{{- include "tallystick.witnessArgs" $ }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ quote . }}
{{- end }}
{{- end }}

{{- define "tallystick.timeArgs" -}}
{{- with .Values.config.time }}
{{- if .tLedger }}
- --t-ledger
{{- with include "tallystick.path" (list $ "submitters") }}
- --submitters={{ . }}
{{- end }}
{{- end }}
{{- if .authorities }}
{{- range .authorities }}
- {{ printf "--time-authority=%s" . | quote }}
{{- end }}
- --time-ca={{ include "tallystick.path" (list $ "time-ca") }}
{{- with .policy }}
- --time-policy={{ . }}
{{- end }}
- --time-interval={{ int64 .interval }}
- --time-count={{ int64 .count }}
- --time-timeout={{ int64 .timeout }}
{{- end }}
{{- with .submit }}
{{- if .at }}
- {{ printf "--submit-to=%s" .at | quote }}
- {{ printf "--submit-id=%s" .id | quote }}
{{- range .ledgers }}
- {{ printf "--submit-ledger=%s" . | quote }}
{{- end }}
- --submit-interval={{ int64 .interval }}
{{- with include "tallystick.path" (list $ "submit-invitation") }}
- --submit-invitation={{ . }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "tallystick.witnessArgs" -}}
{{- with .Values.config.witness }}
{{- if .witnesses }}
{{- range .witnesses }}
- {{ printf "--witness=%s" . | quote }}
{{- end }}
{{- range .ledgers }}
- {{ printf "--witness-ledger=%s" . | quote }}
{{- end }}
- --witness-quorum={{ int64 .quorum }}
- --witness-interval={{ int64 .interval }}
- --witness-timeout={{ int64 .timeout }}
{{- end }}
{{- end }}
{{- end }}

{{/* The options that the chart gives, or has another way to give. */}}
{{- define "tallystick.ownOptions" -}}
--data --keys --address --port --http-port --management-address --management-port --authority
{{- print " --tls-certificate --tls-private-key --tls-client-ca --founders --member-ca --member-journals --member-reads" -}}
{{- print " --connection-age --shutdown-delay --gpu --log-format --ipv6 --trace-sampling --trace-to" -}}
{{- print " --t-ledger --submitters --time-authority --time-ca --time-policy --time-interval --time-count --time-timeout" -}}
{{- print " --submit-to --submit-id --submit-ledger --submit-interval --submit-invitation" -}}
{{- print " --witness --witness-ledger --witness-quorum --witness-interval --witness-timeout" -}}
{{- end }}
