// Package rule makes analyzers of rules: each has an id, a page, and reports that can be allowed.
package rule

import (
	"fmt"
	"go/token"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/gallop-go/gallop/gallopvet/internal/flow"
)

// Strict makes the rules report what they cannot prove to be right.
var Strict bool

// Tests makes the rules look at test files as strictly as at others.
var Tests bool

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
	pass   *analysis.Pass
	rule   *Rule
	allows *allows
	used   map[*allow]bool
	said   map[token.Pos]bool
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
				allows:  pass.ResultOf[allowAnalyzer].(*allows),
				used:    map[*allow]bool{},
				said:    map[token.Pos]bool{},
			}
			if p.Relevant() {
				p.Lock.Lock()
				defer p.Lock.Unlock()
				r.Run(p)
			}
			return p.used, nil
		},
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
		p.used[a] = true
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

// Line returns the number of the line of a position.
func (p *Pass) Line(pos token.Pos) int { return p.Fset.Position(pos).Line }

// Where returns a position as a reader of a report finds it: the line, and the file if it is not
// that of another position.
func (p *Pass) Where(pos, near token.Pos) string {
	at, other := p.Fset.Position(pos), p.Fset.Position(near)
	if at.Filename == other.Filename {
		return fmt.Sprintf("line %d", at.Line)
	}
	return fmt.Sprintf("%s:%d", base(at.Filename), at.Line)
}

func base(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

// InTest reports whether a position is in a test file that is not to be looked at as strictly as
// others.
func (p *Pass) InTest(pos token.Pos) bool {
	return !Tests && strings.HasSuffix(p.Fset.Position(pos).Filename, "_test.go")
}

// Related says more about a report, at another position.
func Related(pos token.Pos, message string) []analysis.RelatedInformation {
	return []analysis.RelatedInformation{{Pos: pos, Message: message}}
}
