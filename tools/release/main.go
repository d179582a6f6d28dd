// Command release makes the commit and the tags of a release, and tries them as a user would.
//
//	go -C tools run ./release v0.1.0         try; the repository stays as it is
//	go -C tools run ./release -tag v0.1.0    the same, and then put the tags into the repository
//
// The work is done in a clone. There each module that users require names the others by the version
// of the release, without a replace. The go command makes the zips of the modules from the tags, as a
// module proxy would. A program outside of the repository then gets, builds, vets and runs all of
// them: see consumer. docs/RELEASING.md has the steps of a release.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
)

// modules are the directories of the modules that users require, each after its own requirements.
var modules = []string{".", "prom", "otel", "cluster", "gallopvet", "gallopvet/golangci"}

const (
	corePath  = "github.com/gallop-go/gallop"
	sourceURL = "https://" + corePath
)

var versionForm = regexp.MustCompile(`^v[01]\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

func main() {
	root := flag.String("root", "..", "the repository")
	tag := flag.Bool("tag", false, "put the tags into the repository when all went well")
	flag.Parse()
	if flag.NArg() != 1 || !versionForm.MatchString(flag.Arg(0)) {
		fmt.Fprintln(os.Stderr, "usage: release [-root dir] [-tag] v0.1.0")
		os.Exit(2)
	}
	if err := run(*root, flag.Arg(0), *tag); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run makes a release of the last commit of the repository at root.
func run(root, version string, tag bool) error {
	changed, err := output(root, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return errors.New("the working tree has changes:\n" + changed)
	}
	dir, err := os.MkdirTemp("", "gallop-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := prepare(root, dir, version)
	if err != nil {
		return err
	}
	if err := r.consume(); err != nil {
		return err
	}
	if !tag {
		fmt.Println("all modules of", version, "can be used; -tag puts the tags into the repository")
		return nil
	}
	fetch := []string{"fetch", "-q", "--no-tags", r.clone}
	push := "git push origin"
	for _, m := range modules {
		fetch = append(fetch, "refs/tags/"+r.tag(m)+":refs/tags/"+r.tag(m))
		push += " " + r.tag(m)
	}
	if _, err := output(root, nil, "git", fetch...); err != nil {
		return err
	}
	fmt.Println(push)
	return nil
}
