package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// noPromise is in the documentation of packages that a release does not freeze.
const noPromise = "no compatibility promise"

// consumer is a module of a user's, outside of the repository.
type consumer struct {
	*release
	dir string
}

// consume writes a module that uses the release, and builds, vets and runs it. It has the first
// program of the README, and the examples of each package that the release freezes.
func (r *release) consume() error {
	c := &consumer{r, filepath.Join(r.work, "consumer")}
	if err := c.write("go.sum", r.goSums()); err != nil {
		return err
	}
	if err := c.do("mod", "init", "example.com/consumer"); err != nil {
		return err
	}
	get := []string{"get"}
	for _, m := range modules {
		get = append(get, modulePath(m)+"@"+r.version)
	}
	prints, err := c.hello()
	if err != nil {
		return err
	}
	if err := errors.Join(c.examples(), c.others(), c.faulty()); err != nil {
		return err
	}
	for _, args := range [][]string{
		get,
		{"get", "-tool", corePath + "/gallopvet@" + r.version},
		{"mod", "tidy"},
		{"mod", "verify"},
		{"build", "./..."},
		{"test", "-vet=all", "./..."},
		{"install", corePath + "/gallopvet@" + r.version},
		{"install", corePath + "/cmd/pingpong@" + r.version},
	} {
		if err := c.do(args...); err != nil {
			return err
		}
	}
	if got, err := output(c.dir, c.env(), "go", "run", "./hello"); err != nil || got != prints {
		return errors.Join(err, fmt.Errorf("the first program of the README prints %q, want %q", got, prints))
	}
	return errors.Join(c.replaced(), c.vetted(), c.demonstrated(), c.alone())
}

// do runs the go command in the consumer's module.
func (c *consumer) do(args ...string) error {
	_, err := output(c.dir, c.env(), "go", args...)
	return err
}

func (c *consumer) write(name, text string) error {
	name = filepath.Join(c.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

// goSums are the sums that the released modules have of other people's modules.
func (r *release) goSums() string {
	var all strings.Builder
	for _, m := range modules {
		text, _ := os.ReadFile(filepath.Join(r.clone, m, "go.sum"))
		all.Write(text)
	}
	return all.String()
}

var firstProgram = regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n+```text\n(.*?)\n```")

// hello writes the first program of the README, and returns the output that the README shows.
func (c *consumer) hello() (prints string, err error) {
	text, err := os.ReadFile(filepath.Join(c.clone, "README.md"))
	if err != nil {
		return "", err
	}
	m := firstProgram.FindSubmatch(text)
	if m == nil {
		return "", errors.New("the README has no program with its output")
	}
	return string(m[2]), c.write("hello/main.go", string(m[1]))
}

// examples writes the examples of the packages that the release freezes, each in a package of its own.
// It leaves out files that need another file of the tests.
func (c *consumer) examples() error {
	all, err := filepath.Glob(filepath.Join(c.clone, "*", "example*_test.go"))
	if err != nil {
		return err
	}
	byDir := map[string]map[string]*ast.File{}
	for _, file := range all {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		dir := filepath.Dir(file)
		if byDir[dir] == nil {
			byDir[dir] = map[string]*ast.File{}
		}
		byDir[dir][file] = f
	}
	frozen := 0
	for dir, files := range byDir {
		doc, err := docOf(dir)
		if err != nil {
			return err
		}
		if strings.Contains(doc, noPromise) {
			continue
		}
		frozen++
		for incomplete(files) {
		}
		for file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if err := c.write(filepath.Base(dir)+"/"+filepath.Base(file), string(text)); err != nil {
				return err
			}
		}
	}
	if frozen == 0 {
		return errors.New("no package is frozen")
	}
	return c.write("orders/orders_test.go", `package orders

import (
	"testing"

	"`+corePath+`/actortest"
)

func TestOrders(t *testing.T) {
	actortest.Run(t, func(r *actortest.R) {
		got := actortest.NewProbe[int](r, "got")
		got.Handler().Send(r.System(), 1)
		r.Quiet()
		if len(got.Got()) != 1 {
			r.Errorf("got %v", got.Got())
		}
	})
}
`)
}

// incomplete takes out the files with names that are not declared in any file, and reports whether
// there were such files.
func incomplete(files map[string]*ast.File) (any bool) {
	declared := map[string]bool{}
	for _, f := range files {
		for name := range f.Scope.Objects {
			declared[name] = true
		}
	}
	for file, f := range files {
		imported := map[string]bool{}
		for _, s := range f.Imports {
			to, _ := strconv.Unquote(s.Path.Value)
			imported[path.Base(to)] = true
			if s.Name != nil {
				imported[s.Name.Name] = true
			}
		}
		for _, x := range f.Unresolved {
			if !declared[x.Name] && !imported[x.Name] && types.Universe.Lookup(x.Name) == nil {
				delete(files, file)
				any = true
				break
			}
		}
	}
	return any
}

// docOf is the documentation of a package, in one line.
func docOf(dir string) (text string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return "", err
		}
		if !strings.HasSuffix(file, "_test.go") {
			text += f.Doc.Text()
		}
	}
	return strings.Join(strings.Fields(text), " "), err
}

// others writes a package that imports the modules without frozen packages. To import the plugin is
// all that "golangci-lint custom" does with it.
func (c *consumer) others() error {
	return c.write("others/others.go", "package others\n\nimport (\n\t_ \""+corePath+"/cluster/durable\"\n"+
		"\t_ \""+corePath+"/gallopvet/golangci\"\n)\n")
}

// faulty writes a program that gallopvet must find fault with.
func (c *consumer) faulty() error {
	return c.write("faulty/faulty.go", `package faulty

import "`+corePath+`/actor"

type state struct{}

func (*state) run(_ *actor.Context, f func()) { f() }

var (
	stateType = actor.NewType[state]("state")
	run       = actor.Declare[func()](stateType, "run")
	_         = stateType.Table(run.Handle((*state).run))
)
`)
}

// replaced holds that the consumer has no replace, and requires nothing of ours but the release.
func (c *consumer) replaced() error {
	text, err := os.ReadFile(filepath.Join(c.dir, "go.mod"))
	if err != nil {
		return err
	}
	if strings.Contains(string(text), "replace") {
		return errors.New("the consumer needs a replace:\n" + string(text))
	}
	for _, m := range modules {
		if !strings.Contains(string(text), modulePath(m)+" "+c.version) {
			return errors.New("the consumer does not require " + m + ":\n" + string(text))
		}
	}
	return nil
}

// vetted runs gallopvet in the three ways that its README names. It is content with the examples, and
// finds the fault.
func (c *consumer) vetted() error {
	tool, err := output(c.dir, c.env(), "go", "tool", "-n", "gallopvet")
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"go", "tool", "gallopvet"},
		{"go", "vet", "-vettool=" + tool},
		{filepath.Join(c.work, "bin", "gallopvet")},
	} {
		for pkg, fault := range map[string]bool{"./hello": false, "./actor": false, "./faulty": true} {
			_, err := output(c.dir, c.env(), args[0], append(args[1:], pkg)...)
			if found := err != nil && strings.Contains(err.Error(), ": GV1: messages of run hold func()"); found != fault ||
				err != nil && !fault {
				return fmt.Errorf("%v %s finds a fault: %t, want %t: %w", args, pkg, found, fault, err)
			}
		}
	}
	return nil
}

// alone builds each module by itself, by the go.mod and the go.sum of the release.
func (c *consumer) alone() error {
	for _, m := range modules[1:] {
		if _, err := output(filepath.Join(c.clone, m), c.env(), "go", "build", "./..."); err != nil {
			return err
		}
	}
	return nil
}

// demonstrated runs the program of the README's first command, as it was installed.
func (c *consumer) demonstrated() error {
	got, err := output(c.dir, c.env(), filepath.Join(c.work, "bin", "pingpong"),
		"-json", "-scenario=pingpong", "-n=1000", "-baseline=false")
	if err == nil && !regexp.MustCompile(`"ok": *true`).MatchString(got) {
		err = errors.New("pingpong prints " + got)
	}
	return err
}
