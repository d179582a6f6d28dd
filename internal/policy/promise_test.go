package policy

import (
	"slices"
	"strings"
	"testing"
)

// frozen are the packages whose exported API only grows: see docs/RELEASING.md.
var frozen = []string{"actor", "supervise", "group", "actortest", "observe", "prom", "otel"}

// forOurselves are the modules that are never released, besides the benchmarks.
var forOurselves = []string{"observe/browsertest", "observe/incidents", "gallopvet/corpus", "tools"}

const noPromise = "This package has no compatibility promise: each version may change it."

// promises holds that the documentation of each package that users can import, and that is not frozen,
// says so.
func promises(r *repo) []string {
	doc, first := map[string]string{}, map[string]*goFile{}
	for _, f := range r.gos {
		top, _, _ := strings.Cut(f.dir, "/")
		if f.test || !f.importable() || top == "benchmarks" || slices.Contains(forOurselves, f.module) {
			continue
		}
		if first[f.dir] == nil {
			first[f.dir] = f
		}
		doc[f.dir] += f.Doc.Text()
	}
	var problems []string
	for dir, f := range first {
		says := strings.Contains(strings.Join(strings.Fields(doc[dir]), " "), noPromise)
		switch {
		case !says && !slices.Contains(frozen, dir):
			problems = append(problems, f.path+":1: package "+dir+" does not say: "+noPromise)
		case says && slices.Contains(frozen, dir):
			problems = append(problems, f.path+":1: package "+dir+" is frozen, and denies it")
		}
	}
	slices.Sort(problems)
	return problems
}

// TestPromises: each package is frozen, or says that it is not.
func TestPromises(t *testing.T) {
	const denial = "// Package x is x.\n//\n// This package has no compatibility promise:\n// each version may change it.\n"
	enforce(t, policy{check: promises, accepts: tree{
		"actor/x.go":           "// Package actor is x.\npackage actor\n",
		"heap/x.go":            denial + "package heap\n",
		"heap/y.go":            "package heap\n",
		"internal/seam/x.go":   "package seam\n",
		"cmd/x/x.go":           "package main\n",
		"examples/x/shop/x.go": "package shop\n",
		"benchmarks/x/x.go":    "package x\n",
		"tools/go.mod":         "module tools\n",
		"tools/x/x.go":         "package x\n",
	}, rejects: []fault{
		{"a package that says nothing", tree{"heap/x.go": "package heap\n"}, "heap/x.go:1: package heap does not say"},
		{"of another module", tree{"vet/go.mod": "module v\n", "vet/rules/x.go": "package rules\n"},
			"vet/rules/x.go:1: package vet/rules does not say"},
		{"a frozen one", tree{"actor/x.go": denial + "package actor\n"}, "actor/x.go:1: package actor is frozen"},
	}})
}
