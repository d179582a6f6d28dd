// Package rule makes analyzers of rules: each has an id, a page, and reports that can be allowed.
package rule

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// Settings of the driver, made before the analyzers run.
var (
	// Strict makes the rules report code that they cannot prove right.
	Strict bool
	// Tests makes the rules look at test files as strictly as at others.
	Tests bool
	// Disabled has the ids of the rules that report nothing. They run: their allowances count.
	Disabled map[string]bool
	// Explain gets a line for each thing that is not reported though a rule has seen it, or is nil.
	Explain func(line string)
)

// Rule is one rule.
type Rule struct {
	ID    string // "GV5"
	Title string // one line
	Doc   string
	Run   func(*Pass)
}

// Pass is a rule that looks at a package.
type Pass struct {
	*flow.Package
	Strict bool // report code that cannot be proved right
	pass   *analysis.Pass
	rule   *Rule
	allows allows
	used   map[*allow]bool
	said   map[token.Pos]bool
	// explains: the run only explains unreported observations, and none of its findings is
	// reported.
	explains bool
}

// pages is where the pages of the rules are.
const pages = "https://github.com/gallop-go/gallop/blob/main/gallopvet/docs/"

// Analyzer makes the analyzer of a rule. Its result is which allowances it has used.
func (r *Rule) Analyzer() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       strings.ToLower(r.ID),
		Doc:        r.Title + "\n\n" + r.Doc,
		URL:        pages + strings.ToLower(r.ID) + ".md",
		Requires:   []*analysis.Analyzer{flow.Analyzer, allowAnalyzer},
		ResultType: reflect.TypeFor[map[*allow]bool](),
		Run: func(pass *analysis.Pass) (any, error) {
			p := &Pass{
				Package: pass.ResultOf[flow.Analyzer].(*flow.Package),
				pass:    pass,
				rule:    r,
				allows:  pass.ResultOf[allowAnalyzer].(allows),
				used:    map[*allow]bool{},
				said:    map[token.Pos]bool{},
				Strict:  Strict,
			}
			if p.Relevant() {
				p.Lock.Lock()
				defer p.Lock.Unlock()
				r.Run(p)
				p.explain()
			}
			return p.used, nil
		},
	}
}

// explain runs the rule once more, as with -strict, for observations that it has not reported.
func (p *Pass) explain() {
	if Explain != nil && !p.Strict {
		for pos, limit := range p.Cuts() {
			Explain(fmt.Sprintf("%s: not reported, the limit of %s was met: not all that the value leads to was "+
				"looked at", p.Fset.Position(pos), limit))
		}
		p.Strict, p.explains = true, true
		p.rule.Run(p)
	}
}

// skip explains why a finding is not reported.
func (p *Pass) skip(f Finding, why string) {
	if Explain != nil {
		at := p.Fset.Position(f.Pos)
		Explain(fmt.Sprintf("%s: not reported, %s: %s: %s", at, why, p.rule.ID, f.Message))
	}
}

// Finding is one report.
type Finding struct {
	Pos     token.Pos
	Message string
	Related []analysis.RelatedInformation
	Fixes   []analysis.SuggestedFix
}

// Report reports, once for each position, unless a comment allows it.
func (p *Pass) Report(f Finding) {
	if !f.Pos.IsValid() || p.said[f.Pos] {
		return
	}
	p.said[f.Pos] = true
	if a := p.allows.at(p.Fset.Position(f.Pos), p.rule.ID); a != nil {
		p.used[a] = p.used[a] || !p.explains
		p.skip(f, "allowed ("+a.reason+")")
		return
	}
	switch {
	case p.explains:
		p.skip(f, "not proved")
		return
	case Disabled[p.rule.ID]:
		p.skip(f, "disabled")
		return
	}
	p.pass.Report(analysis.Diagnostic{
		Pos:            f.Pos,
		Category:       p.rule.ID,
		Message:        p.rule.ID + ": " + f.Message,
		URL:            p.pass.Analyzer.URL,
		Related:        f.Related,
		SuggestedFixes: f.Fixes,
	})
}

// Reportf reports without more.
func (p *Pass) Reportf(pos token.Pos, format string, args ...any) {
	p.Report(Finding{Pos: pos, Message: fmt.Sprintf(format, args...)})
}

// Where returns a position as a reader of a report finds it: the line, and the file if it is not
// that of another position.
func (p *Pass) Where(pos, near token.Pos) string {
	at, other := p.Fset.Position(pos), p.Fset.Position(near)
	if at.Filename == other.Filename {
		return fmt.Sprintf("line %d", at.Line)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}

// TypeText returns how a type is written at a position. It reports false if the file there does not
// import a needed package, or may not name the type.
func (p *Pass) TypeText(t types.Type, at token.Pos) (string, bool) {
	path := p.Enclosing(at, at)
	if len(path) == 0 {
		return "", false
	}
	ok := true
	text := types.TypeString(t, func(pkg *types.Package) string {
		for _, spec := range path[len(path)-1].(*ast.File).Imports {
			if name := p.TypesInfo.PkgNameOf(spec); name != nil && name.Imported() == pkg {
				return name.Name()
			}
		}
		ok = ok && pkg == p.Pkg
		return ""
	})
	return text, ok && !hidden.MatchString(text)
}

// hidden finds names that other packages do not export.
var hidden = regexp.MustCompile(`\w\.\p{Ll}`)

// InTest reports whether a position is in a test file that is not to be looked at as strictly as
// others.
func (p *Pass) InTest(pos token.Pos) bool {
	return !Tests && strings.HasSuffix(p.Fset.Position(pos).Filename, "_test.go")
}

// Related says more about a report, at another position.
func Related(pos token.Pos, message string) []analysis.RelatedInformation {
	return []analysis.RelatedInformation{{Pos: pos, Message: message}}
}
