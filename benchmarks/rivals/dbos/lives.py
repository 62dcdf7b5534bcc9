"""Runs of three steps by DBOS: entered into a queue, performed by worker processes, each step stored.

usage: lives.py <connection of PostgreSQL> <runs> <workers>
Prints the runs a second, from the first entry to the last end.
"""

import concurrent.futures
import subprocess
import sys
import time

import psycopg
from dbos import DBOS, DBOSClient

VERSION = "1"  # of the application: workers take runs of their own version only
AT_ONCE = 64


def work(url, executor):
    DBOS(config={
        "name": "lives", "system_database_url": url, "executor_id": executor, "application_version": VERSION,
        "log_level": "ERROR", "run_admin_server": False,
    })
    @DBOS.step()
    def say(text):
        return text

    @DBOS.workflow(name="life")
    def life():
        say("some text of a life")
        say("some text of a life")
        return say("the last text")

    DBOS.launch()
    DBOS.register_queue("lives", worker_concurrency=AT_ONCE, polling_interval_sec=0.02)
    print("ready", flush=True)
    sys.stdin.read()  # until the pipe is closed
    DBOS.destroy()


def main(url, runs, count_of_workers):
    workers = [subprocess.Popen([sys.executable, __file__, "--work", url, f"executor-{index}"], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True) for index in range(count_of_workers)]
    for worker in workers:
        while worker.stdout.readline().strip() != "ready":
            assert worker.poll() is None, "a worker has ended"
    client = DBOSClient(system_database_url=url)

    def enter(_):
        client.enqueue({"queue_name": "lives", "workflow_name": "life", "app_version": VERSION})

    enter(0)  # plans and connections
    with psycopg.connect(url, autocommit=True) as look:
        def ended():
            query = "SELECT count(*) FROM dbos.workflow_status WHERE status = 'SUCCESS' AND queue_name = 'lives'"
            return look.execute(query).fetchone()[0]

        while ended() < 1:
            time.sleep(0.05)
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(enter, range(runs)))
        while ended() < runs + 1:
            time.sleep(0.01)
        print(f"RESULT {runs / (time.monotonic() - begin):.1f}")
    client.destroy()
    for worker in workers:
        worker.stdin.close()
    for worker in workers:
        worker.wait(30)


if sys.argv[1] == "--work":
    work(sys.argv[2], sys.argv[3])
else:
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
