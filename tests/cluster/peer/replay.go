package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
)

// serveRecording answers lists and watches of pods from files. Each POST to /begin begins the events of the watches
// that are open then; it is a process of its own, so that its work is not counted as an informer's.
func serveRecording(ctx context.Context, opts options) error {
	list, err := os.ReadFile(opts.list)
	if err != nil {
		return fmt.Errorf("Cannot read the recorded list: %w", err)
	}
	events, err := os.ReadFile(opts.recording)
	if err != nil {
		return fmt.Errorf("Cannot read the recorded events: %w", err)
	}
	r := &recording{list: list, events: events, begun: make(chan struct{})}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", opts.port))
	if err != nil {
		return fmt.Errorf("Cannot listen: %w", err)
	}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /api/v1/pods", r.pods)
	routes.HandleFunc("POST /begin", r.begin)
	server := &http.Server{Handler: routes}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	fmt.Printf("http://%s\n", listener.Addr())
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

type recording struct {
	list, events []byte
	lock         sync.Mutex
	begun        chan struct{}
}

func (r *recording) begin(response http.ResponseWriter, _ *http.Request) {
	r.lock.Lock()
	defer r.lock.Unlock()
	close(r.begun)
	r.begun = make(chan struct{})
	response.WriteHeader(http.StatusNoContent)
}

func (r *recording) pods(response http.ResponseWriter, request *http.Request) {
	query := request.URL.Query()
	response.Header().Set("Content-Type", "application/json")
	switch {
	case query.Get("sendInitialEvents") == "true":
		http.Error(response, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422,"message":"A recording has no streamed list"}`, http.StatusUnprocessableEntity)
	case query.Has("watch"):
		r.watch(response, request)
	default:
		_, _ = response.Write(r.list)
	}
}

func (r *recording) watch(response http.ResponseWriter, request *http.Request) {
	r.lock.Lock()
	begun := r.begun
	r.lock.Unlock()
	control := http.NewResponseController(response)
	_ = control.Flush()
	select {
	case <-begun:
		_, _ = response.Write(r.events)
		_ = control.Flush()
		<-request.Context().Done()
	case <-request.Context().Done():
	}
}

func beginReplay(url string) error {
	response, err := http.Post(url+"/begin", "", nil)
	if err != nil {
		return fmt.Errorf("Cannot begin the recorded events: %w", err)
	}
	return response.Body.Close()
}
