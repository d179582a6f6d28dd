// Package golangci makes gallopvet a module plugin of golangci-lint.
//
// This package has no compatibility promise: each version may change it.
package golangci

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/gallop-go/gallop/gallopvet/rules"
)

func init() { register.Plugin("gallopvet", New) }

// New makes the plugin from its settings in golangci-lint's configuration.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[rules.Settings](settings)
	if err != nil {
		return nil, err
	}
	return plugin{s}, nil
}

type plugin struct{ settings rules.Settings }

// BuildAnalyzers returns the rules.
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return rules.Analyzers(), rules.Set(p.settings)
}

// GetLoadMode says that the rules need types.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
