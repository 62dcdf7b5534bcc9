// What weft_bench measures, by Eino and by hand in Go.
package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

const usage = `usage: go_rivals go|eino [--quick] [row...]   measures all rows, or those whose names are or begin so;
                                           one object of JSON a line
       go_rivals go|eino --list            names of the rows
Go works on one processor (GOMAXPROCS=1), as weft_bench does, unless GOMAXPROCS says otherwise.
`

// A system is what is measured: each function does the work of rows, and checks what came out.
type system struct {
	title   string
	chain   func(nodes int) (run func())
	fanOut  func(branches int, delay time.Duration) (run func())
	waiting func() (run func(ended func()))
	build   func(nodes int)
	turns   func(agent agentShape) (run func())
}

var systems = map[string]*system{"go": &byHand, "eino": &byEino}

type row struct {
	name    string
	count   int
	measure func(of *system, name string, count int)
}

var rows = []row{
	{"chain_1", 1, chain}, {"chain_3", 3, chain}, {"chain_10", 10, chain},
	{"fan_out_8_coroutine", 8, fanOut}, {"fan_out_64_coroutine", 64, fanOut}, {"fan_out_1000_coroutine", 1000, fanOut},
	{"wait_1000", 1000, wait},
	{"in_flight_10000", 10_000, inFlight},
	{"in_flight_memory_10000", 10_000, memory},
	{"suspended_memory_10000", 10_000, memory},
	{"build_1000", 1000, build},
	{"react_turn_2", 2, reactTurn},
	{"agents_10000", 10_000, agents},
}

// select gives the rows that a word means: the one of that name, or all that begin with it.
func selectRows(word string) []row {
	var chosen []row
	for _, one := range rows {
		if one.name == word {
			return []row{one}
		}
		if strings.HasPrefix(one.name, word) {
			chosen = append(chosen, one)
		}
	}
	return chosen
}

func refuse(what string) {
	fmt.Fprintf(os.Stderr, "go_rivals: %s\n%s", what, usage)
	os.Exit(2)
}

func main() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
	words := os.Args[1:]
	if len(words) == 4 && words[0] == "--alone" {
		number, err := strconv.Atoi(words[3])
		check(err)
		doAlone(systems[words[1]], words[2], number)
		return
	}
	if len(words) == 0 || systems[words[0]] == nil {
		refuse("the first word names a system")
	}
	of := systems[words[0]]
	words = words[1:]
	list := slices.Contains(words, "--list")
	if len(words) > 0 && words[0] == "--quick" {
		quick = true
		words = words[1:]
	}
	if len(words) == 0 || list {
		words = []string{""}
	}
	for _, word := range words {
		chosen := selectRows(word)
		if len(chosen) == 0 {
			refuse("no row '" + word + "'")
		}
		for _, one := range chosen {
			if strings.HasPrefix(one.name, "build") && of.build == nil {
				continue // there is no graph
			}
			if list {
				fmt.Println(one.name)
			} else {
				one.measure(of, one.name, one.count)
			}
		}
	}
}
