package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/gallop-go/gallop/actor"
	"github.com/gallop-go/gallop/observe"
	"github.com/gallop-go/gallop/prom"
)

// Lines that the service prints begin with one of these words.
const (
	sayPage     = "page"     // and the address of the page
	sayBegan    = "began"    // the incident has begun
	sayCulprit  = "culprit"  // and a name of it that was not known before
	sayShutdown = "shutdown" // and the error of Shutdown
)

func main() {
	name := flag.String("incident", "", "the incident to play; none if empty")
	listen := flag.String("listen", "127.0.0.1:0", "address of the page")
	load := flag.Int("load", 0, "orders a second; those of the incident if 0")
	after := flag.Duration("after", 0, "how long the service works before the incident begins")
	metrics := flag.Bool("metrics", false, "serve metrics for Prometheus at /metrics")
	child := flag.Bool("child", false, "end when the standard input ends")
	list := flag.Bool("list", false, "list the incidents: name, when, culprits")
	flag.Parse()
	if *list {
		for _, in := range incidents() {
			fmt.Println(in)
		}
		return
	}
	if err := run(*name, *listen, *load, *after, *metrics, *child); err != nil {
		fmt.Fprintln(os.Stderr, "incidents:", err)
		os.Exit(1)
	}
}

func run(name, listen string, load int, after time.Duration, metrics, child bool) error {
	in, err := find(name)
	if err != nil {
		return err
	}
	if load == 0 {
		load = in.load
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	s := startService(load, in.options...)
	http.Handle("/gallop/", http.StripPrefix("/gallop", observe.Handler(s.sys)))
	if metrics {
		http.Handle("/metrics", exporter(s.sys))
	}
	served := make(chan error, 1)
	go func() { served <- http.Serve(l, nil) }()
	s.open()
	s.say(sayPage, "http://"+l.Addr().String()+"/gallop/")
	time.Sleep(after)
	if in.begin != nil {
		in.begin(s)
	}
	s.say(sayBegan, name)
	if child {
		_, err = io.Copy(io.Discard, os.Stdin)
		return err
	}
	return <-served
}

// exporter serves the metrics that docs/alerts.yml needs. Call it before the first spawn.
func exporter(sys *actor.System) http.Handler {
	reg := prometheus.NewRegistry()
	reg.MustRegister(prom.NewMailboxDelays(sys), prom.NewCollector(sys, prom.WithPopulation(),
		prom.WithWhy(), prom.WithProfiler(observe.Profile(sys, 0))))
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{})
}
