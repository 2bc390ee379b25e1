package main

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
)

// The letters of generated names, as the API server and the controllers use them.
const letters = "bcdfghjklmnpqrstvwxz2456789"

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

func word(random *rand.Rand, alphabet string, length int) string {
	text := make([]byte, length)
	for i := range text {
		text[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(text)
}

func suffix(random *rand.Rand) string          { return word(random, letters, 5) }
func hash(random *rand.Rand) string            { return word(random, letters, 10) }
func hex(random *rand.Rand, length int) string { return word(random, "0123456789abcdef", length) }

// imageID is the same for the same image, wherever it runs.
func imageID(image string) string {
	repository := image
	for i := len(image) - 1; i >= 0 && image[i] != '/'; i-- {
		if image[i] == ':' {
			repository = image[:i]
		}
	}
	return fmt.Sprintf("%s@sha256:%x", repository, sha256.Sum256([]byte(image)))
}
