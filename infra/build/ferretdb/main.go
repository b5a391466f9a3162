// FerretDB as a program, made of its own package: it is not to be had as a package of Debian or of a
// registry. It takes those flags of the vendor's program that the plugin makes use of, by the same
// names; the package sends no telemetry.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

const module = "github.com/FerretDB/FerretDB"

// version is that of the module that was built in.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if dependency.Path == module {
				return dependency.Version
			}
		}
	}
	return "unknown"
}

func run() error {
	showVersion := flag.Bool("version", false, "print the version and end")
	handler := flag.String("handler", "postgresql", "postgresql or sqlite")
	listen := flag.String("listen-addr", "127.0.0.1:27017", "TCP address to listen on")
	socket := flag.String("listen-unix", "", "path of a socket to listen on")
	secure := flag.String("listen-tls", "", "TCP address to listen on with TLS")
	certificate := flag.String("listen-tls-cert-file", "", "file of the server's certificate")
	key := flag.String("listen-tls-key-file", "", "file of its key")
	authority := flag.String("listen-tls-ca-file", "", "file of the authority of clients' certificates")
	sqlite := flag.String("sqlite-url", "file:data/", "SQLite URI of a directory")
	postgres := flag.String("postgresql-url", "postgres://127.0.0.1:5432/ferretdb", "PostgreSQL URL")
	level := flag.String("log-level", "info", "debug, info, warn or error")
	_ = flag.String("telemetry", "disable", "as the vendor's program has it; there is none here")
	_ = flag.String("state-dir", "-", "as the vendor's program has it; nothing is kept here")
	_ = flag.String("debug-addr", "-", "as the vendor's program has it; there is none here")
	flag.Parse()
	if *showVersion {
		fmt.Printf("version: %s\npackage: embedded\n", version())
		return nil
	}
	var chosen slog.Level
	if err := chosen.UnmarshalText([]byte(*level)); err != nil {
		return fmt.Errorf("--log-level: %w", err)
	}
	options := &slog.HandlerOptions{Level: chosen}
	server, err := ferretdb.New(&ferretdb.Config{
		Listener: ferretdb.ListenerConfig{
			TCP:         *listen,
			Unix:        *socket,
			TLS:         *secure,
			TLSCertFile: *certificate,
			TLSKeyFile:  *key,
			TLSCAFile:   *authority,
		},
		Logger:        slog.New(slog.NewTextHandler(os.Stderr, options)),
		Handler:       *handler,
		SQLiteURL:     *sqlite,
		PostgreSQLURL: *postgres,
	})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return server.Run(ctx)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "ferretdb:", err)
		os.Exit(1)
	}
}
