//go:build gallop_figures

package main

import (
	"context"
	"io"
	"testing"
	"time"
)

// TestFigures_OpenPage: an open page of a system with little to do costs at most 20 ms of processor
// time a second, and half a minute after it was closed it costs nothing.
func TestFigures_OpenPage(t *testing.T) {
	const open, none = 20 * time.Millisecond, 5 * time.Millisecond // a second; this is noise
	p := play(t, incident{load: 1})
	p.use(5 * time.Second) // the start
	before := p.use(20 * time.Second)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		p.window(ctx)
	}()
	during := p.use(20 * time.Second)
	<-closed
	p.use(35 * time.Second)
	after := p.use(20 * time.Second)
	t.Logf("a second: %v closed, %v open, %v closed again", before, during, after)
	if during-before > open {
		t.Errorf("an open page costs %v a second", during-before)
	}
	if after-before > none {
		t.Errorf("a closed page costs %v a second", after-before)
	}
}

// window makes the requests of a window that shows the overview.
func (p *played) window(ctx context.Context) {
	for ctx.Err() == nil {
		for _, path := range []string{"overview", "history?seconds=300"} {
			if r := p.get(ctx, "api/v1/"+path, "application/json"); r != nil {
				_, _ = io.Copy(io.Discard, r.Body)
				_ = r.Body.Close()
			}
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// use returns the processor time that the service uses a second, over a while.
func (p *played) use(during time.Duration) time.Duration {
	begin := use(p.pid)
	<-time.After(during)
	return (use(p.pid) - begin) / (during / time.Second)
}
