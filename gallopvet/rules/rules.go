// Package rules lists the rules of gallopvet, for drivers.
//
// This package has no compatibility promise: each version may change it.
package rules

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/gallop-go/gallop/gallopvet/internal/alias"
	"github.com/gallop-go/gallop/gallopvet/internal/blocking"
	"github.com/gallop-go/gallop/gallopvet/internal/duty"
	"github.com/gallop-go/gallop/gallopvet/internal/endless"
	"github.com/gallop-go/gallop/gallopvet/internal/escape"
	"github.com/gallop-go/gallop/gallopvet/internal/isolation"
	"github.com/gallop-go/gallop/gallopvet/internal/misuse"
	"github.com/gallop-go/gallop/gallopvet/internal/payload"
	"github.com/gallop-go/gallop/gallopvet/internal/rule"
	"github.com/gallop-go/gallop/gallopvet/internal/shared"
)

// all lists the rules, in the order of their ids.
var all = []*rule.Rule{
	payload.Rule,   // GV1
	alias.Rule,     // GV2
	isolation.Rule, // GV3
	escape.Rule,    // GV4
	misuse.Rule,    // GV5
	blocking.Rule,  // GV6
	duty.Rule,      // GV7
	endless.Rule,   // GV8
	shared.Rule,    // GV9
}

// analyzers are the analyzers of the rules, made once: others refer to them.
var analyzers = func() []*analysis.Analyzer {
	var made []*analysis.Analyzer
	for _, r := range all {
		made = append(made, r.Analyzer())
	}
	return append(made, rule.Unused(made))
}()

// Analyzers returns an analyzer for each rule, and one for allowances that allow nothing.
func Analyzers() []*analysis.Analyzer { return analyzers }

// Settings may be set by a driver before it runs the analyzers.
type Settings struct {
	Strict  bool     `json:"strict"`  // report code that cannot be proved right
	Tests   bool     `json:"tests"`   // look at test files as strictly as at others
	Disable []string `json:"disable"` // ids of the rules that report nothing
	// Explain gets a line for each thing that a rule has seen and does not report: one that is
	// allowed, one of a disabled rule, or one that -strict would report. Several goroutines may call
	// it at the same time.
	Explain func(line string) `json:"-"`
}

// Set makes the analyzers follow settings. It returns an error if a rule to disable does not exist.
func Set(s Settings) error {
	disabled := map[string]bool{}
	for _, id := range s.Disable {
		id = strings.ToUpper(strings.TrimSpace(id))
		if !slices.ContainsFunc(all, func(r *rule.Rule) bool { return r.ID == id }) {
			return fmt.Errorf("gallopvet: there is no rule %q", id)
		}
		disabled[id] = true
	}
	rule.Strict, rule.Tests, rule.Disabled, rule.Explain = s.Strict, s.Tests, disabled, s.Explain
	return nil
}
