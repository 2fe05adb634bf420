{{/* The settings of each role, as lines of a file of Java properties. A time is seconds. */}}
{{- define "tallystick.proxySettings" -}}
{{- with .Values.config -}}
tallystick.address=0.0.0.0
tallystick.tls.certificate=/etc/tallystick/tls/tls.crt
tallystick.tls.private-key=/etc/tallystick/tls/tls.key
{{- with include "tallystick.path" (list $ "client-ca") }}
tallystick.tls.client-ca={{ . }}
{{- end }}
{{- with include "tallystick.path" (list $ "founders") }}
tallystick.founders={{ . }}
{{- end }}
tallystick.limits.member-journals-per-second={{ int64 .limits.memberJournalsPerSecond }}
tallystick.limits.member-reads-per-second={{ int64 .limits.memberReadsPerSecond }}
tallystick.connection-age={{ int64 .connectionAge }}s
tallystick.shutdown-delay={{ int64 .shutdownDelay }}s
tallystick.log-format={{ .logFormat }}
tallystick.tracing.sampling={{ .tracing.sampling }}
{{- with .tracing.endpoint }}
tallystick.tracing.endpoint={{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "tallystick.serverSettings" -}}
{{- $paths := list -}}
{{- range $at, $_ := .Values.config.members.ca -}}
{{- $paths = append $paths (include "tallystick.path" (list $ (printf "member-ca-%d" $at))) -}}
{{- end -}}
{{- with $paths -}}
tallystick.members.ca={{ join "," . }}
{{- end -}}
{{- end }}

{{- define "tallystick.masterSettings" -}}
{{- $lines := list -}}
{{- with .Values.config.time -}}
{{- if .authorities -}}
{{- $lines = append $lines (printf "tallystick.time.authorities=%s" (join "," .authorities)) -}}
{{- $lines = append $lines (printf "tallystick.time.ca=%s" (include "tallystick.path" (list $ "time-ca"))) -}}
{{- with .policy -}}
{{- $lines = append $lines (printf "tallystick.time.policy=%s" .) -}}
{{- end -}}
{{- $lines = append $lines (printf "tallystick.time.interval=%ds" (int64 .interval)) -}}
{{- $lines = append $lines (printf "tallystick.time.count=%d" (int64 .count)) -}}
{{- $lines = append $lines (printf "tallystick.time.timeout=%ds" (int64 .timeout)) -}}
{{- end -}}
{{- with .submit -}}
{{- if .at -}}
{{- $lines = append $lines (printf "tallystick.time.submit.at=%s" .at) -}}
{{- $lines = append $lines (printf "tallystick.time.submit.id=%s" .id) -}}
{{- $lines = append $lines (printf "tallystick.time.submit.ledgers=%s" (join "," .ledgers)) -}}
{{- $lines = append $lines (printf "tallystick.time.submit.interval=%ds" (int64 .interval)) -}}
{{- with include "tallystick.path" (list $ "submit-invitation") -}}
{{- $lines = append $lines (printf "tallystick.time.submit.invitation=%s" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with .Values.config.witness -}}
{{- if .witnesses -}}
{{- $lines = append $lines (printf "tallystick.witness.witnesses=%s" (join "," .witnesses)) -}}
{{- $lines = append $lines (printf "tallystick.witness.ledgers=%s" (join "," .ledgers)) -}}
{{- $lines = append $lines (printf "tallystick.witness.quorum=%d" (int64 .quorum)) -}}
{{- $lines = append $lines (printf "tallystick.witness.interval=%ds" (int64 .interval)) -}}
{{- $lines = append $lines (printf "tallystick.witness.timeout=%ds" (int64 .timeout)) -}}
{{- end -}}
{{- end -}}
{{- join "\n" $lines -}}
{{- end }}
