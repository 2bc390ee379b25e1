package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// report prints how many bytes the list of all pods has as JSON, whole and without managedFields.
func report(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	body, err := client.CoreV1().RESTClient().Get().AbsPath("/api/v1/pods").Param("pretty", "false").
		SetHeader("Accept", "application/json").Stream(ctx)
	if err != nil {
		return fmt.Errorf("Cannot list the pods: %w", err)
	}
	defer body.Close()
	total := &counter{from: body}
	sizes, err := measure(json.NewDecoder(bufio.NewReaderSize(total, 1<<20)))
	if err != nil {
		return fmt.Errorf("The list of pods does not decode: %w", err)
	}
	if sizes.pods == 0 {
		return nil
	}
	without := total.bytes - sizes.managed
	fmt.Printf("List of %d pods: %d bytes, %d a pod; without managedFields %d bytes, %d a pod\n",
		sizes.pods, total.bytes, total.bytes/sizes.pods, without, without/sizes.pods)
	if sizes.foreign > 0 {
		return fmt.Errorf("The fake kubelet wrote to %d pods; its configuration must disregard the label %s: see kwok.yaml", sizes.foreign, LoadLabel)
	}
	return nil
}

type sizes struct{ pods, managed, foreign int64 }

type counter struct {
	from  io.Reader
	bytes int64
}

func (c *counter) Read(into []byte) (int, error) {
	n, err := c.from.Read(into)
	c.bytes += int64(n)
	return n, err
}

// measure reads a list one item at a time.
func measure(list *json.Decoder) (sizes, error) {
	var all sizes
	for {
		token, err := list.Token()
		if err != nil {
			return all, err
		}
		if token == "items" {
			break
		}
	}
	if _, err := list.Token(); err != nil {
		return all, err
	}
	for list.More() {
		var item struct {
			Metadata struct {
				Labels        map[string]string
				ManagedFields json.RawMessage
			}
		}
		if err := list.Decode(&item); err != nil {
			return all, err
		}
		all.pods++
		if fields := item.Metadata.ManagedFields; fields != nil {
			all.managed += int64(len(`"managedFields":,`) + len(fields))
			if item.Metadata.Labels[LoadLabel] != "" && managedByKwok(fields) {
				all.foreign++
			}
		}
	}
	_, err := io.Copy(io.Discard, list.Buffered())
	return all, err
}

func managedByKwok(fields json.RawMessage) bool {
	var managers []struct{ Manager string }
	if json.Unmarshal(fields, &managers) != nil {
		return false
	}
	for _, one := range managers {
		if one.Manager == "kwok" {
			return true
		}
	}
	return false
}

func quantities(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}
