// Command gallopvet finds data races between actors, and other misuse of gallop, before the
// program runs.
//
//	go vet -vettool=$(which gallopvet) ./...
//	gallopvet ./...
//
// README.md says how to use it and lists the rules.
package main

import (
	"flag"

	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/gallop-go/gallop/gallopvet/rules"
)

func main() {
	flag.BoolFunc("strict", "report what cannot be proved to be right", func(s string) error {
		settings.Strict = s != "false"
		rules.Set(settings)
		return nil
	})
	flag.BoolFunc("tests", "look at test files as strictly as at others", func(s string) error {
		settings.Tests = s != "false"
		rules.Set(settings)
		return nil
	})
	multichecker.Main(rules.Analyzers()...)
}

// settings are what the flags have set so far.
var settings rules.Settings
