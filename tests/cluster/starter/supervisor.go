package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Ready takes 4 to 6 s on two idle cores; a machine that also compiles may need ten times that.
const readyWithin = 2 * time.Minute

// supervisor owns the processes of one cluster. Only the main thread touches it.
type supervisor struct {
	*layout
	file  clusterFile
	exits chan exit
}

// errStopped is the ordinary end: a person or a test asked for it.
var errStopped = errors.New("stopped")

func run(opts options) error {
	if err := os.MkdirAll(opts.dir, 0o700); err != nil {
		return fmt.Errorf("The cluster's folder cannot be made: %w", err)
	}
	held, err := lock(opts.dir)
	if err != nil {
		return fmt.Errorf("No cluster started in %s: %w", opts.dir, err)
	}
	defer held.Close()
	// What a supervisor left that was killed; cluster.log is this one's own, lock is held.
	clear(opts.dir, "lock", "cluster.log")
	defer clear(opts.dir)

	s, err := newSupervisor(opts)
	if err != nil {
		return err
	}
	defer s.stopAll()
	if err := s.loop(opts.untilStdinCloses); !errors.Is(err, errStopped) {
		return err
	}
	return nil
}

func newSupervisor(opts options) (*supervisor, error) {
	kubectl, err := findBinary("kubectl", opts.bin)
	if err != nil {
		return nil, err
	}
	l, err := newLayout(opts)
	if err != nil {
		return nil, err
	}
	pid := os.Getpid()
	return &supervisor{
		layout: l,
		exits:  make(chan exit, 16),
		file: clusterFile{
			Pid: pid, Dir: l.dir, Server: l.server, CAFile: l.path("pki", "ca.crt"), Kubectl: kubectl,
			Admin: l.users["admin"], Restricted: l.users["restricted"], AllowedNS: allowedNamespace,
			StartedUnixMs:    time.Now().UnixMilli(),
			KillAPIServer:    fmt.Sprintf("kill -USR1 %d", pid),
			RestartAPIServer: fmt.Sprintf("kill -USR2 %d", pid),
		},
	}, nil
}

// loop starts the parts and then waits for whatever comes first, until the end.
func (s *supervisor) loop(untilStdinCloses bool) error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2)
	ctx, cancel := context.WithTimeout(context.Background(), readyWithin)
	defer cancel()
	if err := s.start("etcd", "kube-apiserver"); err != nil {
		return err
	}
	steps := s.bootstrap(ctx)
	closed := stdinCloses(untilStdinCloses)
	for {
		var err error
		select {
		case step := <-steps:
			err = s.advance(step)
		case ended := <-s.exits:
			err = s.partEnded(ended)
		case received := <-signals:
			err = s.handle(received)
		case <-closed:
			err = errStopped
		}
		if err != nil {
			return err
		}
	}
}

// step is how far the cluster has come: err, or the API server is up, or all is ready.
type step struct {
	ready bool
	err   error
}

// bootstrap waits and fills beside the loop; it starts no process.
func (s *supervisor) bootstrap(ctx context.Context) <-chan step {
	steps := make(chan step, 2)
	client := newClient(s.layout)
	go func() {
		if err := client.apiServerReady(ctx); err != nil {
			steps <- step{err: err}
			return
		}
		steps <- step{}
		for _, wait := range []func(context.Context) error{client.createObjects, client.nodesReady, client.serviceAccountsExist} {
			if err := wait(ctx); err != nil {
				steps <- step{err: err}
				return
			}
		}
		steps <- step{ready: true}
	}()
	return steps
}

func (s *supervisor) advance(step step) error {
	if step.err != nil {
		return fmt.Errorf("The cluster did not become ready within %s\n%w", readyWithin, step.err)
	}
	if !step.ready {
		// The controller manager gives up after 10 s without an API server, so it starts after it.
		return s.start("kube-controller-manager", "kube-scheduler", "kwok")
	}
	s.file.Ready = true
	s.file.ReadyAfterMs = time.Now().UnixMilli() - s.file.StartedUnixMs
	fmt.Printf("ready in %.1f s\nexport KUBECONFIG=%s\n", float64(s.file.ReadyAfterMs)/1000, s.users["admin"].Kubeconfig)
	return s.writeFile()
}

func (s *supervisor) start(names ...string) error {
	for _, name := range names {
		if err := s.parts[name].start(s.exits); err != nil {
			return err
		}
	}
	return s.writeFile()
}

func (s *supervisor) writeFile() error {
	s.file.Parts = map[string]partInfo{}
	for name, part := range s.parts {
		s.file.Parts[name] = partInfo{part.pid(), part.port, part.binary, part.log}
	}
	return s.file.write()
}

// partEnded tells an end that was ordered (the part has another process by now, or none) from a failure.
func (s *supervisor) partEnded(ended exit) error {
	if ended.part.pid() != ended.pid {
		return nil
	}
	ended.part.cmd = nil
	return fmt.Errorf("%s ended by itself (%v); its last lines:\n%s", ended.part.name, ended.err, ended.part.lastLines(15))
}

func (s *supervisor) handle(received os.Signal) error {
	apiServer := s.parts["kube-apiserver"]
	switch received {
	case syscall.SIGUSR1:
		if err := apiServer.kill(); err != nil {
			return err
		}
		fmt.Println("API server killed")
		return s.writeFile()
	case syscall.SIGUSR2:
		if apiServer.pid() != 0 {
			fmt.Println("API server runs already")
			return nil
		}
		fmt.Println("API server started again")
		return s.start(apiServer.name)
	}
	return errStopped
}

func (s *supervisor) stopAll() {
	for _, part := range s.parts {
		if err := part.kill(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

func stdinCloses(wanted bool) <-chan struct{} {
	closed := make(chan struct{})
	if wanted {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			close(closed)
		}()
	}
	return closed
}
