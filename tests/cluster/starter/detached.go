package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// startDetached runs the supervisor apart from this terminal and returns when the cluster is ready.
func startDetached(opts options) error {
	if cluster, ok := running(opts.dir); ok {
		fmt.Printf("A cluster runs in %s already\nexport KUBECONFIG=%s\n", opts.dir, cluster.Admin.Kubeconfig)
		return nil
	}
	if err := os.MkdirAll(opts.dir, 0o700); err != nil {
		return fmt.Errorf("The cluster's folder cannot be made: %w", err)
	}
	log, err := os.OpenFile(filepath.Join(opts.dir, "cluster.log"), os.O_CREATE|os.O_TRUNC|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "run", "--dir", opts.dir, "--bin", opts.bin)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return waitReady(opts.dir, cmd.Process.Pid, log, ended)
}

func waitReady(dir string, pid int, log *os.File, ended <-chan error) error {
	for {
		select {
		case <-ended:
			// The supervisor has removed the file; this handle still reads it.
			log.Seek(0, io.SeekStart)
			text, _ := io.ReadAll(log)
			return fmt.Errorf("The cluster did not start in %s\n%s", dir, text)
		case <-time.After(50 * time.Millisecond):
		}
		cluster, err := readClusterFile(dir)
		if err == nil && cluster.Pid == pid && cluster.Ready {
			fmt.Printf("ready in %.1f s\nexport KUBECONFIG=%s\n", float64(cluster.ReadyAfterMs)/1000, cluster.Admin.Kubeconfig)
			return nil
		}
	}
}

func stop(dir string) error {
	cluster, ok := running(dir)
	if !ok {
		// A supervisor that was killed could not tidy up.
		if _, err := os.Stat(filepath.Join(dir, "cluster.json")); err == nil {
			clear(dir)
		}
		fmt.Printf("No cluster runs in %s\n", dir)
		return nil
	}
	if err := syscall.Kill(cluster.Pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("The cluster's supervisor (process %d) cannot be stopped: %w", cluster.Pid, err)
	}
	for range 300 {
		if _, ok := running(dir); !ok {
			fmt.Printf("The cluster in %s is stopped\n", dir)
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("The cluster's supervisor (process %d) did not end within 15 s of SIGTERM\nEnd it with kill -KILL %d; its parts end with it", cluster.Pid, cluster.Pid)
}
