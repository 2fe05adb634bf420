{{/* A command of `tally` in a container of its own: (list $ NAME WORDS). */}}
{{- define "tallystick.testStep" -}}
{{- $root := index . 0 -}}
- name: {{ index . 1 }}
  image: {{ include "tallystick.image" $root | quote }}
  imagePullPolicy: {{ $root.Values.image.pullPolicy }}
  command:
    {{- include "tallystick.command" (list "-Xms32m" "-Xmx128m") | nindent 4 }}
  args:
    {{- toYaml (index . 2) | nindent 4 }}
  env:
    - name: TALLY_SERVICE
      value: {{ include "tallystick.fullname" $root }}.{{ $root.Release.Namespace }}.svc:{{ int64 $root.Values.service.port }}
    - name: TALLY_TRUST
      value: /work/trust
    {{- if $root.Values.test.caKey }}
    - name: TALLY_TLS_CA
      value: /etc/tallystick/ca/ca.crt
    {{- end }}
    {{- if $root.Values.test.clientSecretName }}
    - name: TALLY_TLS_CERTIFICATE
      value: /etc/tallystick/client/tls.crt
    - name: TALLY_TLS_PRIVATE_KEY
      value: /etc/tallystick/client/tls.key
    {{- end }}
  resources:
    requests:
      cpu: 100m
      memory: 384Mi
    limits:
      memory: 384Mi
  securityContext:
    {{- include "tallystick.containerSecurity" $root | nindent 4 }}
  volumeMounts:
    - name: work
      mountPath: /work
    - name: tmp
      mountPath: /tmp
    - name: owner
      mountPath: /etc/tallystick/owner
      readOnly: true
    {{- if $root.Values.test.caKey }}
    - name: ca
      mountPath: /etc/tallystick/ca
      readOnly: true
    {{- end }}
    {{- if $root.Values.test.clientSecretName }}
    - name: client
      mountPath: /etc/tallystick/client
      readOnly: true
    {{- end }}
{{- end }}
