// Rounds, clocks and memory: as weft_bench has them, so that the figures can stand beside its own.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Each row has one round without a warm-up: whether it works, not how fast it is.
var quick bool

// amount is how much work a round does: all of it, or at most `small` when it is quick.
func amount(full, small int) int {
	if quick {
		return min(full, small)
	}
	return full
}

func require(holds bool, what string) {
	if !holds {
		panic(what)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// cpuNs is the CPU time of all OS threads of this process.
func cpuNs() float64 {
	var used syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Nano() + used.Stime.Nano())
}

// statusBytes is a field of /proc/self/status: VmRSS is what is held now, VmHWM the most that ever was.
func statusBytes(field string) float64 {
	file, err := os.Open("/proc/self/status")
	check(err)
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) > 1 && words[0] == field+":" {
			kilobytes, err := strconv.ParseFloat(words[1], 64)
			check(err)
			return kilobytes * 1024
		}
	}
	panic("/proc/self/status has no line " + field)
}

// rounds gives the figures of so many rounds, behind rounds that warm up for 0.4 s.
func rounds(count int, round func() float64) []float64 {
	if quick {
		return []float64{round()}
	}
	for began := time.Now(); time.Since(began) < 400*time.Millisecond; {
		round()
	}
	figures := make([]float64, count)
	for i := range figures {
		figures[i] = round()
	}
	return figures
}

// roundsAlone gives what this program prints as `--alone <work>` in a process of its own, so many times: a list for
// each place of the line. Memory can be told only by a process that has done nothing else.
func roundsAlone(count int, system, kind string, number int) [][]float64 {
	columns := make([][]float64, 3)
	for range amount(count, 1) {
		child := exec.Command("/proc/self/exe", "--alone", system, kind, strconv.Itoa(number))
		child.Stderr = os.Stderr
		line, err := child.Output()
		check(err)
		for place, word := range strings.Fields(string(line)) {
			figure, err := strconv.ParseFloat(word, 64)
			check(err)
			columns[place] = append(columns[place], figure)
		}
	}
	return columns
}

// quantile lies between two values where the position falls between them.
func quantile(sorted []float64, share float64) float64 {
	position := share * float64(len(sorted)-1)
	below := int(position)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (position-float64(below))*(sorted[above]-sorted[below])
}

// show prints a row as one object of JSON.
func show(system, name, unit string, figures []float64) {
	sort.Float64s(figures)
	median := quantile(figures, 0.5)
	line, err := json.Marshal(map[string]any{
		"name": name, "unit": unit, "system": system, "median": median, "least": figures[0], "rounds": len(figures),
		"spread": (quantile(figures, 0.75) - quantile(figures, 0.25)) / median,
	})
	check(err)
	fmt.Println(string(line))
}
