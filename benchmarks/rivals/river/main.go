// Jobs by River: inserted, taken and completed by worker processes. River keeps no steps: its life of three steps is a
// job that inserts the next one, so three jobs.
//
// usage: lives <connection of PostgreSQL> <lives> <workers>
// Prints the lives a second, from the first insert to the last end.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

type stepArgs struct {
	Step int    `json:"step"`
	Text string `json:"text"`
}

func (stepArgs) Kind() string { return "step" }

type stepWorker struct {
	river.WorkerDefaults[stepArgs]
	pool *pgxpool.Pool
}

// The next step is inserted and this one completed in one transaction.
func (w *stepWorker) Work(ctx context.Context, job *river.Job[stepArgs]) error {
	if job.Args.Step == 3 {
		return nil
	}
	tx, err := w.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	client := river.ClientFromContext[pgx.Tx](ctx)
	if _, err = client.InsertTx(ctx, tx, stepArgs{job.Args.Step + 1, "some text of a life"}, nil); err != nil {
		return err
	}
	if _, err = river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func open(ctx context.Context, url string) *pgxpool.Pool {
	pool, err := pgxpool.New(ctx, url)
	check(err)
	return pool
}

func work(ctx context.Context, url string) {
	pool := open(ctx, url)
	workers := river.NewWorkers()
	river.AddWorker(workers, &stepWorker{pool: pool})
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 64}},
		Workers: workers,
		Logger:  slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	check(err)
	check(client.Start(ctx))
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	<-stop
	check(client.Stop(ctx))
}

func lead(ctx context.Context, url string, lives, workers int) {
	pool := open(ctx, url)
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	check(err)
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	check(err)
	var processes []*exec.Cmd
	for range workers {
		process := exec.Command(os.Args[0], "--work", url)
		process.Stderr = os.Stderr
		check(process.Start())
		processes = append(processes, process)
	}
	defer func() {
		for _, process := range processes {
			_ = process.Process.Signal(syscall.SIGTERM)
			_ = process.Wait()
		}
	}()
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{})
	check(err)
	ended := func() (count int) {
		check(pool.QueryRow(ctx, "SELECT count(*) FROM river_job WHERE state = 'completed' AND args->>'step' = '3'").
			Scan(&count))
		return count
	}
	insert := func(count int) {
		params := make([]river.InsertManyParams, count)
		for i := range params {
			params[i] = river.InsertManyParams{Args: stepArgs{1, "some text of a life"}}
		}
		_, err := client.InsertMany(ctx, params)
		check(err)
	}
	insert(1) // plans and connections
	for ended() < 1 {
		time.Sleep(50 * time.Millisecond)
	}
	begin := time.Now()
	for done := 0; done < lives; done += 64 {
		insert(min(64, lives-done))
	}
	for ended() < lives+1 {
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Printf("RESULT %.1f\n", float64(lives)/time.Since(begin).Seconds())
}

func main() {
	ctx := context.Background()
	if os.Args[1] == "--work" {
		work(ctx, os.Args[2])
		return
	}
	lives, err := strconv.Atoi(os.Args[2])
	check(err)
	workers, err := strconv.Atoi(os.Args[3])
	check(err)
	lead(ctx, os.Args[1], lives, workers)
}
