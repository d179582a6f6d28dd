// Package alertstest has tests of docs/alerts.yml, with the packages of Prometheus that promtool and the
// server use. It is a module of its own, so that package prom does not depend on the server.
package alertstest
