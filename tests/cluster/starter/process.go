package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// part is one process of the cluster.
type part struct {
	name   string
	binary string
	args   []string
	port   int
	log    string
	cmd    *exec.Cmd
	// Closed when cmd's process is gone, and its ports with it.
	gone chan struct{}
}

// exit tells that a part's process ended.
type exit struct {
	part *part
	pid  int
	err  error
}

// start must be called from the main thread; see init.
func (p *part) start(exits chan<- exit) error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.binary, p.args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = diesWithParent()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s did not start: %w", p.name, err)
	}
	gone := make(chan struct{})
	p.cmd, p.gone = cmd, gone
	go func() {
		err := cmd.Wait()
		close(gone)
		exits <- exit{p, cmd.Process.Pid, err}
	}()
	return nil
}

func (p *part) pid() int {
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// kill ends the part at once: the data is thrown away anyway, and an outage is not polite either. It returns when the
// process is gone: one that is started in its place needs its port.
func (p *part) kill() error {
	if p.cmd == nil {
		return nil
	}
	p.cmd.Process.Kill()
	select {
	case <-p.gone:
	case <-time.After(10 * time.Second):
		return fmt.Errorf("%s (process %d) did not end within 10 s of SIGKILL", p.name, p.pid())
	}
	p.cmd = nil
	return nil
}

// lastLines are what a person needs first when a part failed.
func (p *part) lastLines(count int) string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) > count {
		lines = lines[len(lines)-count:]
	}
	return strings.Join(lines, "\n")
}
