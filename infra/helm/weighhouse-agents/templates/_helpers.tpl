{{- define "agents.selector" -}}
app.kubernetes.io/name: weighhouse-agents
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "agents.labels" -}}
{{ include "agents.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* The policy file of a pool: what its values say, with the pod's own address and the pods' networks. */}}
{{- define "agents.policy" -}}
{{- $policy := deepCopy (.pool.policy | default dict) -}}
{{- $networks := get $policy "networks" | default (list "127.0.0.0/8" "::1/128") -}}
{{- $_ := set $policy "networks" (concat $networks .root.Values.podNetworks | uniq) -}}
{{- if .root.Values.podNetworks -}}
{{- $_ := set $policy "machine" (merge (get $policy "machine" | default dict) (dict "address" "@ADDRESS@")) -}}
{{- end -}}
{{ toToml $policy }}
{{- end }}

{{/* Asked for and limited alike, of every container, or the pod would not be Guaranteed. */}}
{{- define "agents.resources" -}}
{{- $each := dict "cpu" (.processors | int | toString) "memory" .memory -}}
{{ toJson (dict "requests" $each "limits" $each) }}
{{- end }}
