// Helm's linting and rendering as a program, made of its own packages: what tests of the charts need of
// it, without its client of a cluster. It takes Helm's own words, options first:
//
//	helm lint --strict --kube-version 1.34.0 -f VALUES CHART
//	helm template --kube-version 1.34.0 -f VALUES NAME CHART
package main

import (
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
)

const namespace = "default"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(words []string) error {
	if len(words) == 0 {
		return fmt.Errorf("what? lint or template")
	}
	options := flag.NewFlagSet("helm", flag.ContinueOnError)
	file := options.String("f", "", "file with values")
	version := options.String("kube-version", "1.34.0", "of Kubernetes")
	options.Bool("strict", true, "warnings are errors, always")
	if err := options.Parse(words[1:]); err != nil {
		return err
	}
	values := chartutil.Values{}
	if *file != "" {
		read, err := chartutil.ReadValuesFile(*file)
		if err != nil {
			return err
		}
		values = read
	}
	kubernetes, err := chartutil.ParseKubeVersion(*version)
	if err != nil {
		return err
	}
	switch rest := options.Args(); {
	case words[0] == "lint" && len(rest) == 1:
		return linted(rest[0], values, kubernetes)
	case words[0] == "template" && len(rest) == 2:
		return rendered(rest[1], values, kubernetes, rest[0])
	}
	return fmt.Errorf("usage: helm lint [OPTIONS] CHART, or helm template [OPTIONS] NAME CHART")
}

// linted tells what is found, and fails from warnings on.
func linted(folder string, values chartutil.Values, kubernetes *chartutil.KubeVersion) error {
	found := lint.AllWithKubeVersion(folder, values, namespace, kubernetes)
	for _, each := range found.Messages {
		fmt.Println(each)
	}
	if found.HighestSeverity >= support.WarningSev {
		return fmt.Errorf("linting found something")
	}
	return nil
}

// rendered prints the manifests of a first installation, in the order of their files.
func rendered(
	folder string, values chartutil.Values, kubernetes *chartutil.KubeVersion, name string,
) error {
	chart, err := loader.Load(folder)
	if err != nil {
		return err
	}
	if wanted := chart.Metadata.KubeVersion; wanted != "" &&
		!chartutil.IsCompatibleRange(wanted, kubernetes.Version) {
		return fmt.Errorf("the chart wants Kubernetes %s; this is %s", wanted, kubernetes)
	}
	release := chartutil.ReleaseOptions{
		Name: name, Namespace: namespace, Revision: 1, IsInstall: true,
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = *kubernetes
	given, err := chartutil.ToRenderValues(chart, values, release, capabilities)
	if err != nil {
		return err
	}
	manifests, err := engine.Render(chart, given)
	if err != nil {
		return err
	}
	files := make([]string, 0, len(manifests))
	for file := range manifests {
		if strings.HasSuffix(file, ".yaml") {
			files = append(files, file)
		}
	}
	sort.Strings(files)
	for _, file := range files {
		fmt.Printf("---\n# Source: %s\n%s\n", file, manifests[file])
	}
	return nil
}
