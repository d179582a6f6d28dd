// Command rooms shows groups of actors as children of a supervisor: a topic, a registry and a
// pool. See README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/gallop-go/gallop/actor"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the whole program. It takes no arguments, and exits with 2 if there are any.
func run(args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("rooms", flag.ContinueOnError)
	fs.SetOutput(stderr)
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if fs.NArg() > 0 {
		fmt.Fprintf(stderr, "rooms: unexpected argument %q\n", fs.Arg(0))
		fs.Usage()
		return 2
	}
	if err := demo(stdout); err != nil {
		fmt.Fprintln(stderr, "rooms:", err)
		return 1
	}
	return 0
}

// demo lets three users talk, one of which does not read.
func demo(out io.Writer) error {
	ctx := context.Background()
	dropped := 0
	sys := actor.Start(actor.WithDeterministic(1),
		actor.WithHooks(actor.Hooks{DeadLetter: func(actor.DeadLetter) { dropped++ }}))
	defer sys.Stop()
	chat, err := NewChat(ctx, sys)
	if err != nil {
		return err
	}
	for _, name := range []string{"ann", "bob", "eve"} {
		if err := chat.Enter("library", name, name == "eve"); err != nil {
			return err
		}
	}
	for i := range 10 {
		if err := chat.Say(ctx, "library", fmt.Sprintf("line %d, and no more", i)); err != nil {
			return err
		}
	}
	if err := sys.Wait(ctx); err != nil {
		return err
	}
	for _, u := range chat.Members("library") {
		name, heard, err := chat.Heard(ctx, u)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s has heard %d of 10\n", name, heard)
	}
	fmt.Fprintln(out, dropped, "dropped")
	return nil
}
