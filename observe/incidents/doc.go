// Command incidents runs a service with a live page, and plays an incident in it. Tests see whether
// the page names the culprit, and people practise.
//
//	go run . -list
//	go run . -incident slow-consumer -listen localhost:8080
//
// The second command starts the service, and the incident as soon as the service is at work. The
// page is at /gallop/.
//
// The tests play each incident against a service in a process of its own. They open the page five
// seconds after the incident began, and expect the culprit in its first finding within 15 s: in the
// stream that the browser draws, and in the text. The finding must stay for three seconds. The
// service also runs without an incident, with some and with full load, for two minutes each. No
// finding may appear then.
//
//	go test -run Incidents -parallel 4 -table incidents.md
//	go test -run Healthy -healthy.runs 50 -timeout 3h
//
// The tests in prom/alertstest scrape the metrics of incidents, and expect the alerts of
// docs/alerts.yml to fire.
//
// The package is a module of its own, since it is for ourselves.
package main
