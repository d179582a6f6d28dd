package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// release is a release in the making.
type release struct {
	root    string // the repository; it is only read
	clone   string // a clone of it, with the commit and the tags of the release
	work    string // the directory for everything else
	version string
	stage   string // a module cache that has only the modules of the release
	others  string // the proxies for modules of other people

	sums  map[string]zipped // of the modules of the release, by path
	files []string          // that the repository has, and that the zips must have: see listFiles
}

// prepare makes the commit and the tags in a clone, and the zips of all modules. It works in dir.
func prepare(root, dir, version string) (*release, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	r := &release{root: root, clone: filepath.Join(dir, "clone"), work: dir, version: version}
	if _, err := output(dir, nil, "git", "clone", "-q", "--no-tags", root, r.clone); err != nil {
		return nil, err
	}
	env, err := output(dir, nil, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	cache, proxy, _ := strings.Cut(env, "\n")
	r.others = "file://" + path.Join(filepath.ToSlash(cache), "cache", "download") + "," + proxy
	if err := r.listFiles(); err != nil {
		return nil, err
	}
	if err := r.takeChanges(); err != nil {
		return nil, err
	}
	if err := r.tagAll(); err != nil {
		return nil, err
	}
	for _, m := range modules {
		err = errors.Join(err, r.checkReplaces(m), r.checkFiles(m), r.checkImports(m))
	}
	return r, err
}

// listFiles lists the files of the repository, and all that its tests read. Git may ignore a file, and
// a zip has neither links nor directories called vendor.
func (r *release) listFiles() error {
	known, err := output(r.root, nil, "git", "ls-files", "-co", "--exclude-standard")
	if err != nil {
		return err
	}
	ignored, err := output(r.root, nil, "git", "ls-files", "-oi", "--exclude-standard")
	if err != nil {
		return err
	}
	r.files = strings.Fields(known)
	for name := range strings.FieldsSeq(ignored) {
		if strings.Contains(name, "/testdata/") && !strings.Contains(name, "/testdata/rapid/") {
			r.files = append(r.files, name)
		}
	}
	return nil
}

// takeChanges commits the uncommitted changes of the working tree to the clone. A release has no
// such changes, and tests want to see them.
func (r *release) takeChanges() error {
	for _, args := range [][]string{
		{"--git-dir=" + filepath.Join(r.clone, ".git"), "--work-tree=" + r.root, "add", "-A"},
		{"-C", r.clone, "commit", "-q", "--allow-empty", "-m", "release: " + r.version},
		{"-C", r.clone, "reset", "-q", "--hard"},
	} {
		if _, err := output(r.work, nil, "git", args...); err != nil {
			return err
		}
	}
	return nil
}

// tagAll writes the version into each go.mod, and makes the tags and the zips. The sums of a module
// are known when its zip is made, so the commit grows module by module. In the end all tags are
// those of one commit, and the zips are made once more, from these tags.
func (r *release) tagAll() error {
	r.sums = map[string]zipped{}
	r.stage = filepath.Join(r.work, "first")
	for _, m := range modules {
		if err := r.require(m); err != nil {
			return err
		}
		for _, args := range [][]string{
			{"commit", "-q", "-a", "--amend", "--no-edit", "--allow-empty"},
			{"tag", "-f", r.tag(m)},
		} {
			if _, err := output(r.clone, nil, "git", args...); err != nil {
				return err
			}
		}
		zip, err := r.download(m)
		if err != nil {
			return err
		}
		r.sums[modulePath(m)] = zip
	}
	r.stage = filepath.Join(r.work, "stage")
	for _, m := range modules {
		message := corePath + " " + r.version
		if _, err := output(r.clone, nil, "git", "tag", "-f", "-a", "-m", message, r.tag(m)); err != nil {
			return err
		}
	}
	for _, m := range modules {
		zip, err := r.download(m)
		switch {
		case err != nil:
			return err
		case zip != r.sums[modulePath(m)]:
			return fmt.Errorf("%s: its tag has another sum than the go.sum of others", m)
		}
	}
	return nil
}

func modulePath(m string) string { return path.Join(corePath, m) }

func (r *release) tag(m string) string { return path.Join(m, r.version) }

// require writes the version of the release into the go.mod of a module, and the sums of the modules
// that it requires into its go.sum.
func (r *release) require(m string) error {
	dir := filepath.Join(r.clone, m)
	mod, err := modOf(dir)
	if err != nil {
		return err
	}
	edits := []string{"mod", "edit"}
	for _, need := range mod.Require {
		if ours(need.Path) {
			edits = append(edits, "-require="+need.Path+"@"+r.version, "-dropreplace="+need.Path)
		}
	}
	if len(edits) == 2 {
		return nil
	}
	if _, err := output(dir, nil, "go", edits...); err != nil {
		return err
	}
	file := filepath.Join(dir, "go.sum")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, need := range mod.Require {
		if ours(need.Path) {
			zip := r.sums[need.Path]
			lines = append(lines, need.Path+" "+r.version+" "+zip.Sum, need.Path+" "+r.version+"/go.mod "+zip.GoModSum)
		}
	}
	slices.Sort(lines)
	return os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

func ours(path string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return modulePath(m) == path })
}

// goMod is as much of a go.mod as is of interest here.
type goMod struct {
	Require []struct{ Path string }
	Replace []struct{ Old struct{ Path string } }
}

func modOf(dir string) (mod goMod, err error) {
	text, err := output(dir, nil, "go", "mod", "edit", "-json")
	if err != nil {
		return mod, err
	}
	return mod, json.Unmarshal([]byte(text), &mod)
}

// zipped is a module whose zip has been made.
type zipped struct{ Sum, GoModSum, Error string }

// download has the go command make the zip of a module, from its tag in the clone, into the stage.
func (r *release) download(m string) (zip zipped, err error) {
	env := append(r.env(),
		"GOMODCACHE="+r.stage, "GOPROXY=direct",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_VALUE_0="+sourceURL,
		"GIT_CONFIG_KEY_0=url.file://"+filepath.ToSlash(r.clone)+".insteadOf")
	text, err := output(r.work, env, "go", "mod", "download", "-json", modulePath(m)+"@"+r.version)
	if err != nil {
		return zip, err
	}
	if err := json.Unmarshal([]byte(text), &zip); err != nil || zip.Error != "" {
		return zip, errors.Join(err, errors.New(zip.Error))
	}
	return zip, nil
}

// env is the environment of a user to whom the release has been published. Modules of others come from
// the module cache of this machine, as far as it has them.
func (r *release) env() []string {
	return []string{
		"GOWORK=off", "GOTOOLCHAIN=local", "GOPRIVATE=",
		"GOFLAGS=-trimpath -modcacherw '-ldflags=-s -w'", // -trimpath: the build cache knows the packages
		"GOMODCACHE=" + filepath.Join(r.work, "modules"),
		"GOPROXY=file://" + path.Join(filepath.ToSlash(r.stage), "cache", "download") + "," + r.others,
		"GOSUMDB=off", // it does not know the release; the go.sum files of the modules have the others
		"GOBIN=" + filepath.Join(r.work, "bin"),
	}
}

// checkReplaces holds that go install accepts a module.
func (r *release) checkReplaces(m string) error {
	mod, err := modOf(filepath.Join(r.clone, m))
	if err == nil && len(mod.Replace) > 0 {
		err = fmt.Errorf("%s replaces %s", path.Join(m, "go.mod"), mod.Replace[0].Old.Path)
	}
	return err
}

// checkFiles holds that the zip of a module has all its files.
func (r *release) checkFiles(m string) error {
	unpacked := filepath.Join(r.stage, filepath.FromSlash(modulePath(m))+"@"+r.version)
	for _, name := range r.files {
		if r.moduleOf(name) != m {
			continue
		}
		in := strings.TrimPrefix(name, strings.TrimPrefix(m+"/", "./"))
		if _, err := os.Lstat(filepath.Join(unpacked, filepath.FromSlash(in))); err != nil {
			return fmt.Errorf("%s is not in the zip of its module", name)
		}
	}
	return nil
}

// moduleOf is the directory of the module that a file belongs to.
func (r *release) moduleOf(name string) string {
	dir := path.Dir(name)
	for dir != "." {
		if _, err := os.Stat(filepath.Join(r.root, filepath.FromSlash(dir), "go.mod")); err == nil {
			break
		}
		dir = path.Dir(dir)
	}
	return dir
}

// checkImports holds that a module imports no internal package of another. The go command would
// let prom import an internal package of the core. A user may have another version of the core, in
// which that package is different.
func (r *release) checkImports(m string) error {
	for _, name := range r.files {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || r.moduleOf(name) != m ||
			strings.Contains(name, "testdata/") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(r.clone, name), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, s := range f.Imports {
			to, _ := strconv.Unquote(s.Path.Value)
			if slices.Contains(strings.Split(to, "/"), "internal") && strings.HasPrefix(to, corePath) &&
				owner(to) != m {
				return fmt.Errorf("%s imports %s, which is internal to another module", name, to)
			}
		}
	}
	return nil
}

// owner is the module that a package belongs to.
func owner(pkg string) (dir string) {
	for _, m := range modules {
		if in := modulePath(m); pkg == in || strings.HasPrefix(pkg, in+"/") {
			dir = m // a nested module comes after the one around it
		}
	}
	return dir
}

// output runs a command in a directory, and returns its standard output. An error has both outputs.
func output(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err,
			stdout.String(), stderr.String())
	}
	return strings.TrimSpace(stdout.String()), nil
}
