# FerretDB v1, Apache-2.0, for tests and for machines that have none: built by Go. Nothing that users start
# depends on it: without Go, tests of FerretDB say that they do not run.
#
# Sourced (it exports WEIGHHOUSE_FERRETDB, the program's path), or run by itself.

. "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
built_go_program ferretdb WEIGHHOUSE_FERRETDB
