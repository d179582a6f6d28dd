package heap

// A handle is a virtual address, and an arena is an address space. The upper 51 bits number a page.
// A page is a chunk under the number that it has in one arena, from the time when the arena takes
// the chunk until it drops it. The lower 13 bits count granules from the chunk's start. Page
// numbers are drawn from one process-wide sequence and never used twice. So stale handles are
// found: a page that an arena has dropped, or never had, is not in its table, even if its memory is
// used again.
//
// Rejected: a pointer (the GC would have to scan it, and nothing could
// move); an index into the arena's list of chunks with a generation (a region
// that joins another arena in O(chunks) would need all its handles rewritten);
// one table for the whole process (its entries would be shared memory, written
// by one actor while another reads them).
//
// At a million new pages a second the sequence lasts 71 years.
type handle uint64

const (
	granule    = 8
	offsetBits = 13
	offsetMask = 1<<offsetBits - 1
)

// page returns the number of the page that h points into.
func (h handle) page() uint64 { return uint64(h) >> offsetBits }

// offset returns the distance of h from the start of its page, in bytes.
func (h handle) offset() uintptr { return uintptr(h&offsetMask) * granule }

// pageStart returns the handle of the first granule of a page.
func pageStart(number uint64) handle { return handle(number << offsetBits) }

// granules returns the number of granules that hold size bytes, at least 1: an object of no bytes
// has an address of its own.
func granules(size uintptr) uintptr { return (max(size, 1) + granule - 1) / granule }
