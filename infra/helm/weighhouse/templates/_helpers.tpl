{{- define "weighhouse.name" -}}
{{- if contains "weighhouse" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-weighhouse" (.Release.Name | trunc 29 | trimSuffix "-") }}{{ end -}}
{{- end }}

{{/* Labels by which pods are found; never changed. Takes the root and a component. */}}
{{- define "weighhouse.selector" -}}
app.kubernetes.io/name: weighhouse
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "weighhouse.labels" -}}
{{ include "weighhouse.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "weighhouse.image" -}}
{{ .image.repository }}:{{ .image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{/* Of every pod: no root, no token of the cluster's. Takes the root, and the numbers of the image's account. */}}
{{- define "weighhouse.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user }}
  runAsGroup: {{ .group | default .user }}
  fsGroup: {{ .group | default .user }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "weighhouse.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{- define "weighhouse.databaseAddress" -}}
{{- $database := .root.Values.database -}}
{{- if $database.bundled -}}
postgresql+psycopg://{{ .user }}:$({{ .password }})@{{ include "weighhouse.name" .root }}-postgres:5432/postgres
{{- else -}}
postgresql+psycopg://{{ .user }}:$({{ .password }})@{{ $database.host }}:{{ $database.port }}/{{ $database.name }}?sslmode={{ $database.sslMode }}
{{- end -}}
{{- end }}

{{/* A variable whose value is a key of the release's Secret. Takes the root, name and key. */}}
{{- define "weighhouse.secret" -}}
- name: {{ .name }}
  valueFrom: {secretKeyRef: {name: {{ .root.Values.secret }}, key: {{ .key }}}}
{{- end }}

{{/* What backend, worker, timetable and migrations are set up with. A variable that another one names stands before it. */}}
{{- define "weighhouse.environment" -}}
{{- $values := .Values -}}
{{ include "weighhouse.secret" (dict "root" . "name" "DATABASE_PASSWORD" "key" "database-password") }}
- name: WEIGHHOUSE_DATABASE_URL
  value: {{ include "weighhouse.databaseAddress" (dict "root" . "user" (ternary "weighhouse_app" $values.database.user $values.database.bundled) "password" "DATABASE_PASSWORD") | quote }}
- {name: WEIGHHOUSE_DATABASE_POOLED, value: {{ and (not $values.database.bundled) $values.database.pooled | quote }}}
{{- if $values.redis.bundled }}
{{ include "weighhouse.secret" (dict "root" . "name" "REDIS_PASSWORD" "key" "redis-password") }}
- {name: WEIGHHOUSE_REDIS_URL, value: "redis://:$(REDIS_PASSWORD)@{{ include "weighhouse.name" . }}-redis:6379/0"}
{{- else }}
{{ include "weighhouse.secret" (dict "root" . "name" "WEIGHHOUSE_REDIS_URL" "key" "redis-url") }}
{{- end }}
{{ include "weighhouse.secret" (dict "root" . "name" "WEIGHHOUSE_SECRET_KEY" "key" "secret-key") }}
- {name: WEIGHHOUSE_PUBLIC_URL, value: {{ $values.publicUrl | quote }}}
- {name: WEIGHHOUSE_COOKIE_SECURE, value: {{ hasPrefix "https:" $values.publicUrl | quote }}}
{{- with $values.trustedProxies }}
- {name: WEIGHHOUSE_TRUSTED_PROXIES, value: {{ . | quote }}}
{{- end }}
{{- if eq $values.artifacts.kind "bucket" }}
- {name: WEIGHHOUSE_ARTIFACT_S3_URL, value: {{ $values.artifacts.bucket.url | quote }}}
- {name: WEIGHHOUSE_ARTIFACT_S3_REGION, value: {{ $values.artifacts.bucket.region | quote }}}
{{ include "weighhouse.secret" (dict "root" . "name" "WEIGHHOUSE_ARTIFACT_S3_ACCESS_KEY" "key" "artifact-access-key") }}
{{ include "weighhouse.secret" (dict "root" . "name" "WEIGHHOUSE_ARTIFACT_S3_SECRET_KEY" "key" "artifact-secret-key") }}
{{- end }}
{{- range $name, $value := $values.settings }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- range $name, $from := $values.secretSettings }}
- {name: {{ $name }}, valueFrom: {secretKeyRef: {{ toJson $from }}}}
{{- end }}
{{- end }}

{{- define "weighhouse.mounts" -}}
- {name: tmp, mountPath: /tmp}
{{- if eq .Values.artifacts.kind "volume" }}
- {name: artifacts, mountPath: /var/lib/weighhouse/artifacts}
{{- end }}
{{- end }}

{{- define "weighhouse.volumes" -}}
- {name: tmp, emptyDir: {}}
{{- if eq .Values.artifacts.kind "volume" }}
- {name: artifacts, persistentVolumeClaim: {claimName: {{ include "weighhouse.name" . }}-artifacts}}
{{- end }}
{{- end }}

{{/* Waits until the release's migrations are done, so that no part meets a database of another release. */}}
{{- define "weighhouse.await" -}}
- name: await-migrations
  image: {{ include "weighhouse.image" (dict "root" . "image" .Values.image) }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args: [await-migrations]
  {{- include "weighhouse.container" . | nindent 2 }}
  env: {{- include "weighhouse.environment" . | nindent 4 }}
  resources: {{ toJson .Values.migrate.resources }}
  volumeMounts: [{name: tmp, mountPath: /tmp}]
{{- end }}
