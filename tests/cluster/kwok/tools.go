//go:build tools

// Package kwok pins the fake kubelet in a module of its own: its Kubernetes libraries
// are of another release than the control plane's.
package kwok

import _ "sigs.k8s.io/kwok/cmd/kwok"
