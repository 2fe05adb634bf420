{{/* What values.schema.json cannot say in words: values that are missing, and values that contradict each other. */}}
{{- define "tallystick.checks" -}}
{{- include "tallystick.requiredValues" . -}}
{{- include "tallystick.settingsThatFit" . -}}
{{- include "tallystick.operationsThatFit" . -}}
{{- end }}

{{- define "tallystick.requiredValues" -}}
{{- if not .Values.keys.secretName -}}
{{- fail "keys.secretName is missing: the Secret with the service's keys. Make one, once, and keep a copy: tally keys --secret NAME | kubectl apply -f -" -}}
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
{{- with .Values.persistence -}}
{{- if and .existingClaim (or .storageClass .annotations) -}}
{{- fail "persistence.existingClaim is given: persistence.storageClass and persistence.annotations are of a claim that is made" -}}
{{- end -}}
{{- end -}}
{{- if eq (int64 .Values.service.port) (int64 .Values.service.httpPort) -}}
{{- fail "service.port and service.httpPort must differ" -}}
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
