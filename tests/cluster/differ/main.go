// Command differ runs client-go's own shared informers for the differential test: tests/differential in Rust.
//
// It reads commands as lines of JSON and writes what handlers are told, and answers, as lines of JSON:
//
//	{"op":"start","id":7,"url":"http://127.0.0.1:8001","namespace":"default","handlers":[{"handler":0,"resyncMs":0}]}
//	{"op":"addHandler","id":7,"handler":1,"resyncMs":0}
//	{"op":"removeHandler","id":7,"handler":1}
//	{"op":"ask","id":7}     answered by {"id":7,"version":"12","store":{"default/a":"11"}}
//	{"op":"stop","id":7}
//
// Informers watch configmaps. A list is told from a watch by the server through the query: client=go.list, go.watch.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

type command struct {
	Op        string        `json:"op"`
	ID        int           `json:"id"`
	URL       string        `json:"url"`
	Namespace string        `json:"namespace"`
	Handlers  []handlerSpec `json:"handlers"`
	handlerSpec
}

type handlerSpec struct {
	Handler  int   `json:"handler"`
	ResyncMs int64 `json:"resyncMs"`
}

// output writes one line at a time, from whichever goroutine.
type output struct {
	lock    sync.Mutex
	encoder *json.Encoder
}

func (o *output) write(line any) {
	o.lock.Lock()
	defer o.lock.Unlock()
	if err := o.encoder.Encode(line); err != nil {
		os.Exit(1)
	}
}

func main() {
	if os.Getenv("DIFFER_LOG") == "" {
		klog.SetLogger(logr.Discard())
	}
	out := &output{encoder: json.NewEncoder(os.Stdout)}
	if err := serve(os.Stdin, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve obeys until its input ends, and takes everything with it.
func serve(in io.Reader, out *output) error {
	informers := map[int]*informer{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var c command
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return fmt.Errorf("Not a command: %s: %w", lines.Text(), err)
		}
		if err := obey(c, informers, out); err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
	}
	return lines.Err()
}

func obey(c command, informers map[int]*informer, out *output) error {
	if c.Op == "start" {
		started, err := start(c, out)
		informers[c.ID] = started
		return err
	}
	known, found := informers[c.ID]
	if !found {
		return fmt.Errorf("no such informer")
	}
	switch c.Op {
	case "addHandler":
		return known.addHandler(c.handlerSpec)
	case "removeHandler":
		return known.removeHandler(c.Handler)
	case "ask":
		out.write(known.state())
		return nil
	case "stop":
		delete(informers, c.ID)
		known.stop()
		return nil
	}
	return fmt.Errorf("unknown command")
}
