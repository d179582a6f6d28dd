package rule

import (
	"go/ast"
	"go/token"
	"reflect"
	"regexp"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// allow is a comment that allows a finding:
//
//	//gallop:allow GV2 the slice is never written to
//
// It stands on the line or alone on the line above it, and must give a reason.
type allow struct {
	id     string
	reason string
	pos    token.Pos
	line   int
}

// allows are the comments of a package, by file and line.
type allows map[string][]*allow

var allowAnalyzer = &analysis.Analyzer{
	Name:       "gallopallow",
	Doc:        "find comments that allow what a rule would report",
	ResultType: reflect.TypeFor[allows](),
	Run: func(pass *analysis.Pass) (any, error) {
		found := allows{}
		for _, f := range pass.Files {
			found.read(pass.Fset, f)
		}
		return found, nil
	},
}

var directive = regexp.MustCompile(`^//gallop:allow(?:\s+(\S+))?(?:\s+(.*))?$`)

func (a allows) read(fset *token.FileSet, f *ast.File) {
	for _, group := range f.Comments {
		for _, c := range group.List {
			m := directive.FindStringSubmatch(c.Text)
			if m == nil {
				continue
			}
			at := fset.Position(c.Pos())
			a[at.Filename] = append(a[at.Filename], &allow{
				id: m[1], reason: reason(m[2]), pos: c.Pos(), line: at.Line,
			})
		}
	}
}

func (a allows) at(pos token.Position, id string) *allow {
	for _, c := range a[pos.Filename] {
		if c.id == id && c.reason != "" && (c.line == pos.Line || c.line == pos.Line-1) {
			return c
		}
	}
	return nil
}

// Unused makes the analyzer that reports comments which allow nothing, for the given rules.
func Unused(rules []*analysis.Analyzer) *analysis.Analyzer {
	ids := map[string]bool{}
	for _, r := range rules {
		ids[strings.ToUpper(r.Name)] = true
	}
	return &analysis.Analyzer{
		Name:     "gvallow",
		Doc:      "report allowances that allow nothing or give no reason",
		URL:      pages + "allow.md",
		Requires: append([]*analysis.Analyzer{allowAnalyzer}, rules...),
		Run: func(pass *analysis.Pass) (any, error) {
			used := map[*allow]bool{}
			for _, r := range rules {
				for a, now := range pass.ResultOf[r].(map[*allow]bool) {
					used[a] = used[a] || now
				}
			}
			for _, list := range pass.ResultOf[allowAnalyzer].(allows) {
				for _, a := range list {
					if wrong := a.wrong(ids, used); wrong != "" {
						pass.Reportf(a.pos, "%s", wrong)
					}
				}
			}
			return nil, nil
		},
	}
}

func (a *allow) wrong(ids map[string]bool, used map[*allow]bool) string {
	switch {
	case !ids[a.id]:
		return "gallop:allow names no rule: write //gallop:allow GV2 and the reason"
	case a.reason == "":
		return "gallop:allow " + a.id + " without a reason"
	case !used[a]:
		return "gallop:allow " + a.id + " allows nothing: take it away"
	}
	return ""
}

func reason(text string) string {
	text, _, _ = strings.Cut(text, "//")
	return strings.TrimSpace(text)
}
