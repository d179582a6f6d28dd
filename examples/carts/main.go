// Command carts holds very many shopping carts, each an actor with its contents in the actor's
// heap. It fills them, empties some, asks all of them for their sums, and reports the cost of the
// carts for the GC.
//
//	go run ./examples/carts -carts 1000000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/heap"
)

// A line is one product in a cart.
type line struct {
	name  heap.String
	price int // in cents
	count int
}

// A cart maps products to lines.
type cart struct{ lines heap.Map[int, line] }

// A purchase is a number of pieces of a product.
type purchase struct{ product, count int }

func (s *cart) add(c *actor.Context, p purchase) {
	a := c.Heap()
	if l := s.lines.At(a, p.product); l != nil {
		l.count += p.count
		return
	}
	name := heap.NewString(a, fmt.Sprint("product ", p.product))
	s.lines.Put(a, p.product, line{name, 100 + p.product, p.count})
}

func (s *cart) remove(c *actor.Context, product int) { s.lines.Delete(c.Heap(), product) }

// sum sends the counter a tally of the cart.
func (s *cart) sum(c *actor.Context, to actor.Ref[counter]) {
	t := tally{carts: 1}
	for _, l := range s.lines.All(c.Heap()) {
		t.lines++
		t.cents += l.count * l.price
	}
	counterAdd.Send(c, to, t)
}

// A tally is the sum of some carts.
type tally struct{ carts, lines, cents int }

// A counter adds up tallies.
type counter struct{ sum tally }

func (n *counter) add(_ *actor.Context, t tally) {
	n.sum.carts += t.carts
	n.sum.lines += t.lines
	n.sum.cents += t.cents
}

func (n *counter) get(*actor.Context, struct{}) (tally, error) { return n.sum, nil }

var (
	cartType   = actor.NewType[cart]("cart")
	cartAdd    = actor.Declare[purchase](cartType, "add")
	cartRemove = actor.Declare[int](cartType, "remove")
	cartSum    = actor.Declare[actor.Ref[counter]](cartType, "sum")
	_          = cartType.Table(cartAdd.Handle((*cart).add), cartRemove.Handle((*cart).remove),
		cartSum.Handle((*cart).sum))

	counterType = actor.NewType[counter]("counter")
	counterAdd  = actor.Declare[tally](counterType, "add")
	counterGet  = actor.DeclareAsk[struct{}, tally](counterType, "get")
	_           = counterType.Table(counterAdd.Handle((*counter).add),
		counterGet.Handle((*counter).get))
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the whole program: it exits with 2 on arguments that it cannot use.
func run(args []string, stdout, stderr io.Writer) int {
	carts, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	if err := serve(stdout, carts); err != nil {
		fmt.Fprintln(stderr, "carts:", err)
		return 1
	}
	return 0
}

// maxCarts is how many carts there may be: that many take 150 GB.
const maxCarts = 100_000_000

// parse returns an error after it has written the error and the usage.
func parse(args []string, stderr io.Writer) (carts int, err error) {
	fs := flag.NewFlagSet("carts", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.IntVar(&carts, "carts", 100_000, fmt.Sprintf("how many carts, from 1 to %d", maxCarts))
	if err := fs.Parse(args); err != nil {
		return 0, err
	}
	switch {
	case carts < 1 || carts > maxCarts:
		err = fmt.Errorf("-carts is %d; it must be from 1 to %d", carts, maxCarts)
	case fs.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(stderr, "carts:", err)
		fs.Usage()
	}
	return carts, err
}

// serve runs the service once: ten purchases of five products for each cart, one of which
// is taken out again.
func serve(out io.Writer, carts int) error {
	sys := actor.Start()
	defer sys.Stop()
	refs := make([]actor.Ref[cart], carts)
	for i := range refs {
		refs[i] = cartType.Spawn(sys, cart{})
	}
	ctx := context.Background()
	if err := buy(ctx, sys, refs); err != nil {
		return err
	}
	total := counterType.Spawn(sys, counter{})
	for i, r := range refs {
		cartRemove.Send(sys, r, i%5)
		cartSum.Send(sys, r, total)
	}
	if err := sys.Wait(ctx); err != nil {
		return err
	}
	sum, err := counterGet.Ask(ctx, total, struct{}{})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d carts, %d lines, %d.%02d in all\n", sum.carts, sum.lines, sum.cents/100,
		sum.cents%100)
	report(out, carts)
	runtime.KeepAlive(refs)
	return nil
}

// buy makes the purchases.
func buy(ctx context.Context, sys *actor.System, refs []actor.Ref[cart]) error {
	for n := range 10 {
		for i, r := range refs {
			cartAdd.Send(sys, r, purchase{product: (i + n) % 5, count: 1})
		}
		if err := sys.Wait(ctx); err != nil { // or ten messages a cart would pile up
			return err
		}
	}
	return nil
}

// report prints the GC's costs of the carts.
func report(out io.Writer, carts int) {
	runtime.GC() // messages that were recycled go with
	runtime.GC() // the second cycle, as everything in a sync.Pool
	begin := time.Now()
	runtime.GC()
	took := time.Since(begin)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Fprintf(out, "GC: %.1f objects and %d bytes a cart, %v a cycle\n",
		float64(m.HeapObjects)/float64(carts), m.HeapAlloc/uint64(carts),
		took.Round(time.Millisecond))
}
