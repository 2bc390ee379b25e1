package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// pause stops the controllers of a cluster that `watchglass-cluster` started, and returns what lets them go on.
// Of another cluster, which has no cluster.json beside its kubeconfig, it stops nothing.
func pause(kubeconfig string) (func(), error) {
	path := filepath.Join(filepath.Dir(kubeconfig), "cluster.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return func() {}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("Cannot read about the cluster: %w", err)
	}
	var cluster struct {
		Parts map[string]struct{ Pid int }
	}
	if err := json.Unmarshal(text, &cluster); err != nil {
		return nil, fmt.Errorf("%s does not decode: %w", path, err)
	}
	var paused []int
	for _, name := range []string{"kube-controller-manager", "kube-scheduler", "kwok"} {
		if pid := cluster.Parts[name].Pid; pid > 0 && syscall.Kill(pid, syscall.SIGSTOP) == nil {
			paused = append(paused, pid)
		}
	}
	return func() {
		for _, pid := range paused {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}, nil
}
