package weaklist_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/gallop-go/gallop/internal/weaklist"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestList: "there are about as many of these as of others at most, but for the first few": of
// 10,000 entries, 9,990 of which are gone, at most 64 are kept, among them the other 10.
func TestList(t *testing.T) { synctest.Test(t, testList) }

func testList(t *testing.T) {
	var l weaklist.List[int]
	gone := func(n int) bool { return n%1000 != 0 }
	for n := range 10_000 {
		l.Add(n, gone)
		synctest.Wait() // until it is tidied, if it is
	}
	all := l.All()
	if len(all) > 64 {
		t.Errorf("%d entries are kept", len(all))
	}
	want := []int{0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000}
	if got := slices.DeleteFunc(all, gone); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	var none weaklist.List[int]
	if got := none.All(); got != nil {
		t.Errorf("%v is in an empty list", got)
	}
}

// TestList_AddedMeanwhile: an entry that is added while the list is tidied is kept.
func TestList_AddedMeanwhile(t *testing.T) { synctest.Test(t, testAddedMeanwhile) }

func testAddedMeanwhile(t *testing.T) {
	var l weaklist.List[int]
	stays := func(n int) bool { return n >= 0 }
	for range 65 {
		l.Add(1, func(n int) bool { // every one is gone
			if n == 1 && len(l.All()) == 65 {
				l.Add(-1, stays)
			}
			return n == 1
		})
	}
	synctest.Wait()
	if got := l.All(); !slices.Equal(got, []int{-1}) {
		t.Errorf("%v is left", got)
	}
}

// TestList_AddDoesNotWait: Add "is called in turns", and does not wait for a look at an entry,
// which lasts as long as a GC cycle takes to end: the looks here do not end before all is added,
// and then the list is tidied. Mutant: Add calls clean itself, without the lock.
func TestList_AddDoesNotWait(t *testing.T) { synctest.Test(t, testAddDoesNotWait) }

func testAddDoesNotWait(t *testing.T) {
	var l weaklist.List[int]
	ends := make(chan struct{})
	for n := range 1000 {
		l.Add(n, func(int) bool {
			<-ends
			return true
		})
	}
	synctest.Wait() // it is being tidied, and so it stays
	if n := len(l.All()); n != 1000 {
		t.Errorf("%d entries are there, want 1000", n)
	}
	close(ends)
	synctest.Wait()
	if n := len(l.All()); n >= 1000 {
		t.Error("the list is not tidied")
	}
}
