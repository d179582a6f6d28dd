// Package durable keeps the state of actors in a log of events, so that it outlives the process.
package durable
