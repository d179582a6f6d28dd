package sched_test

import "github.com/gallop-go/gallop/internal/invariant"

// slow tells that this build checks races or invariants.
const slow = invariant.On
