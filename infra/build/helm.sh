# Helm v3, Apache-2.0, as far as it lints and renders charts, for their tests: built by Go. Nothing that users
# start depends on it: without Go, and without a Helm of the machine's, tests of the charts say that they do not run.
#
# Sourced (it exports WEIGHHOUSE_HELM, the program's path), or run by itself.

. "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
built_go_program helm WEIGHHOUSE_HELM
