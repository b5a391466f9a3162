"""What Kubernetes' admission by the Pod Security Standards would say of a pod, for pods of Linux.

The rules are those of https://kubernetes.io/docs/concepts/security/pod-security-standards/, of
each level those that a pod of the charts could break; a server of 1.36 said the same of each.
"""

from collections.abc import Iterator
from typing import Any

Document = dict[str, Any]
ADDED_BY_BASELINE = {
    "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE",
    "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
}  # fmt: skip
VOLUMES = {
    "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim",
    "projected", "secret",
}  # fmt: skip
SECCOMP = {"RuntimeDefault", "Localhost"}


def containers(spec: Document) -> list[Document]:
    """Those that begin and end before the others, and the others."""
    return [*spec.get("initContainers", ()), *spec["containers"]]


def beyond_baseline(spec: Document) -> Iterator[str]:
    """What `baseline` refuses, each a few words."""
    for key in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(key):
            yield key
    for volume in spec.get("volumes", ()):
        if "hostPath" in volume:
            yield f"hostPath {volume['name']}"
    for rights, name in [(spec.get("securityContext", {}), "pod"), *_rights(spec)]:
        if rights.get("privileged"):
            yield f"{name}: privileged"
        if rights.get("seccompProfile", {}).get("type") == "Unconfined":
            yield f"{name}: seccomp"
        if added := set(rights.get("capabilities", {}).get("add", ())) - ADDED_BY_BASELINE:
            yield f"{name}: adds {sorted(added)}"
    for each in containers(spec):
        if any(port.get("hostPort") for port in each.get("ports", ())):
            yield f"{each['name']}: hostPort"


def beyond_restricted(spec: Document) -> Iterator[str]:
    """What `restricted` refuses, that of `baseline` included."""
    yield from beyond_baseline(spec)
    for volume in spec.get("volumes", ()):
        if kinds := set(volume) - {"name"} - VOLUMES:
            yield f"volume {volume['name']}: {sorted(kinds)}"
    of_pod = spec.get("securityContext", {})
    if of_pod.get("runAsUser") == 0:
        yield "pod: runAsUser 0"
    for rights, name in _rights(spec):
        if rights.get("allowPrivilegeEscalation") is not False:
            yield f"{name}: allowPrivilegeEscalation"
        if rights.get("runAsNonRoot", of_pod.get("runAsNonRoot")) is not True:
            yield f"{name}: runAsNonRoot"
        if rights.get("runAsUser") == 0:
            yield f"{name}: runAsUser 0"
        if (
            rights.get("seccompProfile", of_pod.get("seccompProfile", {})).get("type")
            not in SECCOMP
        ):
            yield f"{name}: seccomp"
        given = rights.get("capabilities", {})
        if "ALL" not in given.get("drop", ()):
            yield f"{name}: does not drop ALL"
        if set(given.get("add", ())) - {"NET_BIND_SERVICE"}:
            yield f"{name}: adds {given['add']}"


def _rights(spec: Document) -> list[tuple[Document, str]]:
    return [(each.get("securityContext", {}), each["name"]) for each in containers(spec)]
