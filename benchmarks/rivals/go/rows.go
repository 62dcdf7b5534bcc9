package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

func (of *system) name() string {
	for name, one := range systems {
		if one == of {
			return name
		}
	}
	panic("a system without a name")
}

// cpuOf is the CPU time of so many runs, of each in nanoseconds.
func cpuOf(runs int, run func()) float64 {
	before := cpuNs()
	for range runs {
		run()
	}
	return (cpuNs() - before) / float64(runs)
}

func chain(of *system, name string, count int) {
	run, runs := of.chain(count), amount(50_000/(count+3), 1_000)
	show(of.title, name, "ns CPU per run", rounds(15, func() float64 { return cpuOf(runs, run) }))
}

func fanOut(of *system, name string, count int) {
	run, runs := of.fanOut(count, 0), amount(25_000/(count+8)+1, 10)
	figures := rounds(15, func() float64 { return cpuOf(runs, run) / float64(count) })
	show(of.title, name, "ns CPU per branch", figures)
}

func wait(of *system, name string, count int) {
	run := of.fanOut(count, 10*time.Millisecond)
	show(of.title, name, "ms", rounds(9, func() float64 {
		before := time.Now()
		run()
		return float64(time.Since(before).Nanoseconds()) / 1e6
	}))
}

func build(of *system, name string, count int) {
	show(of.title, name, "us CPU", rounds(9, func() float64 { return cpuOf(3, func() { of.build(count) }) / 1e3 }))
}

// How long the nodes of waiting runs wait: even between two bounds, from the generator that weft_bench has
// (std::minstd_rand).
type waitTimes struct {
	lock     sync.Mutex
	last     int64
	min, max int64 // in microseconds
}

var (
	waits = waitTimes{last: 1, min: 5_000, max: 50_000}
	begun atomic.Int64 // runs that came to their first wait
)

func (t *waitTimes) next() time.Duration {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.last = t.last * 48_271 % 2_147_483_647
	return time.Duration(t.min+t.last%(t.max-t.min+1)) * time.Microsecond
}

func runAtOnce(of *system, count int) *sync.WaitGroup {
	run := of.waiting()
	var all sync.WaitGroup
	all.Add(count)
	for range count {
		go run(all.Done)
	}
	return &all
}

func inFlight(of *system, name string, count int) {
	runs := amount(count, 1_000)
	show(of.title, name, "us CPU per run", rounds(7, func() float64 {
		before := cpuNs()
		runAtOnce(of, runs).Wait()
		return (cpuNs() - before) / 1e3 / float64(runs)
	}))
}

func memory(of *system, name string, count int) {
	kind := "moving"
	if name[0] == 's' {
		kind = "suspended"
	}
	show(of.title, name, "bytes per run", roundsAlone(5, of.name(), kind, amount(count, 1_000))[0])
}

func agents(of *system, name string, count int) {
	columns := roundsAlone(5, of.name(), "agents", amount(count, 1_000))
	show(of.title, name, "us CPU per agent", columns[0])
	show(of.title, fmt.Sprintf("agents_memory_%d", count), "bytes per agent", columns[1])
	show(of.title, fmt.Sprintf("agents_wall_%d", count), "ms", columns[2])
}

const turnsOfReact = 20

func reactTurn(of *system, name string, _ int) {
	run := of.turns(agentShape{
		system: "You help people with the weather.", before: []string{manyBytes(200)}, question: "Does it rain?",
		tool: "look", arguments: func(turn int) string { return fmt.Sprintf(`{"x":%d}`, turn) },
		answer: "It rains.", turns: turnsOfReact,
	})
	runs := amount(100, 5)
	show(of.title, name, "us CPU per turn", rounds(15, func() float64 { return cpuOf(runs, run) / turnsOfReact / 1e3 }))
}

// doAlone measures memory, or agents, in a process that does nothing else, and prints figures.
func doAlone(of *system, kind string, count int) {
	each := float64(count)
	switch kind {
	case "moving": // the most from the first run to the last end; the pages of the code are there before
		runAtOnce(of, 100).Wait()
		before := statusBytes("VmRSS")
		runAtOnce(of, count).Wait()
		fmt.Println((statusBytes("VmHWM") - before) / each)
	case "suspended": // runs that wait for an hour; the pages of the code are there before
		runAtOnce(of, 100).Wait()
		begun.Store(0)
		waits.min, waits.max = time.Hour.Microseconds(), time.Hour.Microseconds()
		before := statusBytes("VmRSS")
		runAtOnce(of, count)
		for begun.Load() < int64(count) {
			time.Sleep(time.Millisecond)
		}
		fmt.Println((statusBytes("VmRSS") - before) / each)
		os.Exit(0)
	case "agents": // the load of `weft_bench --agents`
		cpu, bytes, wall := agentsAlone(of, count)
		fmt.Println(cpu, bytes, wall)
	default:
		refuse("--alone is for the program itself")
	}
}

func agentsAlone(of *system, count int) (cpu, bytes, wall float64) {
	run := of.turns(agentShape{
		system: "You are a helpful assistant.", question: "What is the weather in Paris?",
		tool: "weather", arguments: func(int) string { return `{"city":"Paris"}` },
		answer: "It rains in Paris.", turns: 3, delay: 100 * time.Millisecond,
	})
	all := func(count int) {
		var group sync.WaitGroup
		for range count {
			group.Go(run)
		}
		group.Wait()
	}
	all(min(count, 100)) // the pages of the code
	bytesBefore, cpuBefore, began := statusBytes("VmRSS"), cpuNs(), time.Now()
	all(count)
	wall = float64(time.Since(began).Nanoseconds()) / 1e6
	each := float64(count)
	return (cpuNs() - cpuBefore) / 1e3 / each, (statusBytes("VmHWM") - bytesBefore) / each, wall
}
