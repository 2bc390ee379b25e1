// Command peer is client-go's shared informer on pods, as one of the informers that `make bench-peers` compares.
//
//	peer --url http://127.0.0.1:8001 [--mode stream|list|protobuf] [--strip-managed-fields] [--events N]
//	peer --serve --list FILE --recording FILE [--port P]
//	peer --url U --mode list --replay --events N
//
// --serve answers any peer with a recorded list and, after a POST to /begin, with recorded watch events at full speed;
// --replay makes that POST when the informer has synced.
// It prints one line of JSON when it has synced, and one when it has been told of N updates.
// What the figures mean stands in tests/benches/peers.md.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

type options struct {
	url    string
	mode   string
	strip  bool
	events int
	replay bool

	serve     bool
	list      string
	recording string
	port      int
}

func main() {
	klog.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	var opts options
	flags := flag.NewFlagSet("peer", flag.ExitOnError)
	flags.StringVar(&opts.url, "url", "http://127.0.0.1:8001", "where kubectl proxy listens")
	flags.StringVar(&opts.mode, "mode", "stream", "stream: a watch that begins with all objects, as is client-go's default; list; protobuf: a stream of it")
	flags.BoolVar(&opts.strip, "strip-managed-fields", false, "drop managedFields before an object is stored")
	flags.IntVar(&opts.events, "events", 0, "wait for so many updates")
	flags.BoolVar(&opts.replay, "replay", false, "the server at the URL is one of --serve: begin its events after the sync")
	flags.BoolVar(&opts.serve, "serve", false, "serve a recording instead")
	flags.StringVar(&opts.list, "list", "", "with --serve: a list of pods as JSON")
	flags.StringVar(&opts.recording, "recording", "", "with --serve: watch events, one a line")
	flags.IntVar(&opts.port, "port", 8009, "with --serve: where to listen on 127.0.0.1")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if opts.mode != "stream" && opts.mode != "list" && opts.mode != "protobuf" {
		return fmt.Errorf("Unknown mode %q: stream, list or protobuf", opts.mode)
	}
	if opts.serve {
		return serveRecording(ctx, opts)
	}
	return run(ctx, opts)
}

func write(line any) error { return json.NewEncoder(os.Stdout).Encode(line) }
