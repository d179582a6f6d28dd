// Command incidents is a service with a live page, and with an incident if one is wished. It shows
// whether the page names the culprit, to tests and to people who practise.
//
//	go run . -list
//	go run . -incident slow-consumer -listen localhost:8080
//
// starts the service, and the incident as soon as the service works. The page is at /gallop/.
//
// The tests play each incident against a service in a process of its own. They open the page five
// seconds after the incident began, and expect the culprit in its first finding within 15 s: in the
// stream that the browser draws, and in the text. Beside that the service runs for two minutes
// under full load, and no finding may appear.
//
//	go test -run Incidents -parallel 4 -table incidents.md
//	go test -run Healthy -healthy.runs 50 -timeout 3h
//
// The package is a module of its own, since it is for ourselves.
package main
