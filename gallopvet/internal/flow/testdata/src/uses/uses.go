// Package uses has the types of the table.
package uses

import (
	"context"
	"log/slog"
	"marked"
	"math/big"
	"net/netip"
	"reflect"
	"regexp"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gallop-go/gallop/capability"
)

var _ capability.Shared[int]

type (
	tree           struct{ left, right *tree }
	list           struct{ next []list }
	flat           struct{ a, b int }
	named          []int
	emptyPtr       *struct{}
	alias          = flat
	embeds         struct{ flat }
	embedded       struct{ *flat }
	pair[A, B any] struct {
		a A
		b B
	}
	fn       func()
	shape    interface{ Area() float64 }
	cyclic   struct{ ch chan cyclic }
	deep     struct{ a struct{ b struct{ c []int } } }
	number   int
	text     string
	mutex    struct{ mu *sync.Mutex }
	counter  struct{ n *atomic.Int64 }
	holder   struct{ c *marked.Config }
	plain    struct{ p *marked.Plain }
	channels struct{ out chan<- int }
)

// Want gives each variable the kind of its type.
var (
	harmless0  bool
	harmless1  int
	harmless2  int8
	harmless3  uint64
	harmless4  float32
	harmless5  complex128
	harmless6  string
	harmless7  rune
	harmless8  byte
	harmless9  uintptr
	harmless10 flat
	harmless11 alias
	harmless12 embeds
	harmless13 number
	harmless14 text
	harmless15 [3]int
	harmless16 [2]flat
	harmless17 struct{}
	harmless18 *struct{}
	harmless19 emptyPtr
	harmless20 pair[int, string]
	harmless21 time.Time
	harmless22 time.Duration
	harmless23 *time.Location
	harmless24 netip.Addr
	harmless25 netip.Prefix
	harmless26 *regexp.Regexp
	harmless27 *slog.Logger
	harmless28 context.Context
	harmless29 error
	harmless30 *sync.Mutex
	harmless31 *sync.WaitGroup
	harmless32 *atomic.Int64
	harmless33 *atomic.Pointer[flat]
	harmless34 mutex
	harmless35 counter
	harmless36 *marked.Config
	harmless37 marked.Config
	harmless38 *marked.Pool
	harmless39 holder
	harmless40 shape
	harmless41 chan int
	harmless42 <-chan string
	harmless43 chan<- flat
	harmless44 channels
	harmless45 chan chan int
	harmless46 cyclic
	harmless47 reflect.Type
	harmless48 pair[time.Time, error]
	harmless49 [0]int
	harmless50 struct{ a, b struct{ c int } }
	harmless51 *sync.RWMutex
	harmless52 *sync.Map
	harmless53 pair[pair[int, int], alias]

	shares0  []int
	shares1  map[string]int
	shares2  *int
	shares3  *flat
	shares4  **flat
	shares5  named
	shares6  tree
	shares7  *tree
	shares8  list
	shares9  embedded
	shares10 deep
	shares11 pair[int, []int]
	shares12 [2][]int
	shares13 big.Int
	shares14 *big.Int
	shares15 plain
	shares16 *marked.Plain
	shares17 []string
	shares18 []struct{}
	shares19 map[int]struct{}
	shares20 pair[*flat, int]
	shares21 struct{ a *int }
	shares22 *[]int
	shares23 *string
	shares24 []error
	shares25 []time.Time
	shares26 *pair[int, int]
	shares27 pair[string, map[string]bool]
	shares28 struct {
		flat
		more []int
	}
	shares29 *chan int

	channel0 chan []int
	channel1 chan *flat
	channel2 <-chan map[string]int
	channel3 chan func()
	channel4 chan any
	channel5 struct{ ch chan *int }
	channel6 chan tree

	opaque0  func()
	opaque1  any
	opaque2  interface{}
	opaque3  unsafe.Pointer
	opaque4  reflect.Value
	opaque5  fn
	opaque6  struct{ then func(int) }
	opaque7  [1]any
	opaque8  pair[int, any]
	opaque9  pair[func(), int]
	opaque10 struct{ v reflect.Value }
)
