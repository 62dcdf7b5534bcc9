#include "bench.hpp"

#ifdef WEFT_HAS_POSTGRES

#include "../async_tests/store/postgres_server.hpp"
#include "cpu_clock.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/store/postgres_store.hpp>

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <vector>

namespace weft_bench {

namespace {

constexpr int runs = 64;
constexpr int commits_each = 40;
constexpr std::size_t body_bytes = 1'000;
constexpr std::size_t blob_bytes = 4'000;

double per_second(double before_ms) { return runs * commits_each / (wall_ms() - before_ms) * 1000; }

std::string bytes_of_id(const weft::unique_id& id)
{
    return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}

/** Ids, and blobs that no thread has yet. */
class commit_maker {
public:
    explicit commit_maker(std::uint64_t seed) : random_{seed} {}

    [[nodiscard]] weft::unique_id id() noexcept { return ids_.next(); }
    [[nodiscard]] weft::checkpoint_draft draft(const weft::hash_key& key)
    {
        weft::checkpoint_draft made;
        made.id = weft::checkpoint_id{id()};
        made.body.assign(body_bytes, 'b');
        weft::blob each;
        each.bytes = made.id.text();
        each.bytes.resize(blob_bytes, 'x');
        each.hash = weft::hash_of(each.bytes, key);
        made.links.push_back(each.hash);
        made.blobs.push_back(std::move(each));
        return made;
    }

private:
    weft::random_source random_;
    weft::id_source ids_{weft::real_clock(), random_};
};

weft::task<void> commit_often(weft::postgres_store& store, weft::write_fence fence, commit_maker& maker)
{
    for (int i = 0; i < commits_each; ++i) {
        weft::checkpoint_draft draft = maker.draft(store.key());
        const weft::commit_result written = co_await store.commit(fence, std::move(draft));
        require(written.state == weft::write_state::ok, "a checkpoint was refused");
        fence.head = written.head;
    }
}

weft::task<double> time_commits(weft::postgres_store& store, commit_maker& maker)
{
    const weft::worker_id worker = co_await store.enter("bench", std::chrono::hours{1});
    std::vector<weft::write_fence> fences;
    for (int i = 0; i < runs; ++i) {
        const weft::unique_id id = maker.id();
        weft::new_run run{weft::thread_key{id.text()}, weft::run_id{id}};
        run.started_by(worker);
        const weft::run_admission admission = co_await store.enqueue(std::move(run));
        require(admission.claim.has_value(), "a run did not start");
        fences.push_back(admission.claim->fence);
    }
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    const double before = wall_ms();
    for (const weft::write_fence& fence : fences) children.spawn(commit_often(store, fence, maker));
    co_await children.join();
    co_return per_second(before);
}

/** What somebody writes by hand who knows libpq: one statement per checkpoint with the same fence and the same rows,
 *  prepared, in pipeline mode, one synchronisation point for all threads that have something to write. */
class batch_writer {
public:
    batch_writer(const std::string& connection, const std::string& schema)
        : connection_{PQconnectdb((connection + " options='-c search_path=" + schema + "'").c_str()), &PQfinish}
    {
        require(PQstatus(connection_.get()) == CONNECTION_OK, "libpq does not connect");
        PQclear(PQprepare(connection_.get(), "begin",
                          "INSERT INTO thread (tenant, name, epoch, holder) VALUES ('', $1::text, 1, $2::uuid)", 0,
                          nullptr));
        PQclear(PQprepare(connection_.get(), "commit",
                          "WITH f AS (UPDATE thread SET head = head + 1, changed = now() WHERE tenant = '' AND"
                          " name = $1::text AND epoch = 1 AND head = $2::text::int8 AND holder = $3::uuid"
                          " RETURNING no, head),"
                          " c AS (INSERT INTO checkpoint (thread, seq, id, parent, run, epoch, kind, step, at, bytes,"
                          " node, graph, graph_hash, label, links, body) SELECT no, head, $4::uuid, head - 1, $3::uuid,"
                          " 1, 1, 0, 0, 5000, '', '', '', '', $5::bytea, $6::bytea FROM f),"
                          " b AS (INSERT INTO blob (thread, hash, bytes, links) SELECT no, $5::bytea, $7::bytea, ''"
                          " FROM f ON CONFLICT DO NOTHING) SELECT head FROM f",
                          0, nullptr));
        require(PQenterPipelineMode(connection_.get()) == 1, "no pipeline mode");
    }

    double time_commits(commit_maker& maker, const weft::hash_key& key)
    {
        std::vector<std::string> names;
        std::vector<std::string> ids;
        for (int i = 0; i < runs; ++i) {
            const weft::unique_id id = maker.id();
            names.push_back(id.text());
            ids.push_back(bytes_of_id(id));
            send("begin", {names.back(), ids.back()}, {0, 1});
        }
        finish(runs, PGRES_COMMAND_OK);
        const double before = wall_ms();
        for (int commit = 0; commit < commits_each; ++commit) {
            for (std::size_t i = 0; i < runs; ++i) {
                const weft::checkpoint_draft draft = maker.draft(key);
                const auto& hash = draft.links.front().bytes;
                send("commit",
                     {names[i], std::to_string(commit), ids[i], bytes_of_id(draft.id.value()),
                      std::string{reinterpret_cast<const char*>(hash.data()), hash.size()}, draft.body,
                      draft.blobs.front().bytes},
                     {0, 0, 1, 1, 1, 1, 1});
            }
            finish(runs, PGRES_TUPLES_OK);
        }
        return per_second(before);
    }

private:
    void send(const char* statement, const std::vector<std::string>& values, const std::vector<int>& formats)
    {
        std::vector<const char*> data;
        std::vector<int> lengths;
        for (const std::string& value : values) {
            data.push_back(value.c_str());
            lengths.push_back(static_cast<int>(value.size()));
        }
        require(PQsendQueryPrepared(connection_.get(), statement, static_cast<int>(values.size()), data.data(),
                                    lengths.data(), formats.data(), 1) == 1,
                "libpq does not send");
    }

    void finish(int statements, ExecStatusType wanted)
    {
        require(PQpipelineSync(connection_.get()) == 1, "libpq does not send");
        for (int i = 0; i < statements; ++i) {
            PGresult* result = PQgetResult(connection_.get());
            require(PQresultStatus(result) == wanted, PQerrorMessage(connection_.get()));
            require(wanted != PGRES_TUPLES_OK || PQntuples(result) == 1, "a checkpoint was refused");
            PQclear(result);
            require(PQgetResult(connection_.get()) == nullptr, "a statement has two results");
        }
        PGresult* end = PQgetResult(connection_.get());
        require(PQresultStatus(end) == PGRES_PIPELINE_SYNC, "a transaction did not end");
        PQclear(end);
    }

    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

measurement measure_commits()
{
    weft_tests::postgres_server::options synced;
    synced.is_synced = true;
    const weft_tests::postgres_server server{synced};
    weft::postgres_options options{server.connection()};
    options.connections(1);
    const auto store = weft::run_blocking(weft::postgres_store::open(std::move(options)));
    batch_writer writer{server.connection(), "weft"};
    commit_maker maker{1};
    return take_turns(
        7, [&] { return weft::run_blocking(time_commits(*store, maker)); },
        [&] { return writer.time_commits(maker, store->key()); });
}

}  // namespace

benchmarks postgres_benchmarks()
{
    if (!weft_tests::postgres_server::programs()) return {};
    return {{"postgres_commits", "checkpoints per s",
             "checkpoints of 64 runs, 1 kB and a blob of 4 kB each, on disk; floor: the same rows by libpq, 64 a batch",
             "ratio >= 0.8", measure_commits}};
}

}  // namespace weft_bench

#else

namespace weft_bench {

benchmarks postgres_benchmarks() { return {}; }

}  // namespace weft_bench

#endif
