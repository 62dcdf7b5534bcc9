#ifdef WEFT_HAS_POSTGRES

#include "batch_writers.hpp"
#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>

namespace weft_bench {

namespace {

constexpr int values_of_checkpoint = 12;

std::string bytes_text(const std::array<std::uint8_t, 16>& bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string joined_texts(const std::vector<weft::content_hash>& hashes)
{
    std::string all;
    for (const weft::content_hash& each : hashes) all += bytes_text(each.bytes);
    return all;
}

std::size_t postgres_bytes_of(const weft::checkpoint_draft& draft)
{
    std::size_t sum = draft.body.size();
    for (const weft::blob& each : draft.blobs) sum += each.bytes.size();
    return sum;
}

/** The statement for a checkpoint that brings so many blobs. */
std::string commit_statement(std::size_t blobs)
{
    std::string text = "WITH f AS (UPDATE thread SET head = head + 1, changed = now() WHERE tenant = '' AND"
                       " name = $1::text AND epoch = 1 AND holder = $2::uuid RETURNING no, head),"
                       " c AS (INSERT INTO checkpoint (thread, seq, id, parent, run, epoch, kind, step, at, bytes,"
                       " node, graph, graph_hash, label, links, body) SELECT no, head, $3::uuid, head - 1, $2::uuid, 1,"
                       " $4::text::int8, $5::text::int8, 0, $6::text::int8, $7::text, $8::text, $9::text, $10::text,"
                       " $11::bytea, $12::bytea FROM f)";
    for (std::size_t i = 0; i < blobs; ++i) {
        const std::size_t at = values_of_checkpoint + 3 * i;
        text += i == 0 ? ", b AS (INSERT INTO blob (thread, hash, bytes, links) SELECT no, v.* FROM f, (VALUES " : ", ";
        text += "($" + std::to_string(at + 1) + "::bytea, $" + std::to_string(at + 2) + "::bytea, $" +
                std::to_string(at + 3) + "::bytea)";
    }
    if (blobs > 0) text += ") v ON CONFLICT DO NOTHING)";
    return text + " SELECT head FROM f";
}

/** So that runs have the id of whatever holds their thread. */
std::string holder_of(const std::string& thread)
{
    std::string id = thread;
    id.resize(16, ' ');
    return id;
}

}  // namespace

postgres_batch_writer::postgres_batch_writer(const std::string& connection, const std::string& schema)
    : connection_{PQconnectdb((connection + " options='-c search_path=" + schema + "'").c_str())}
{
    require(PQstatus(connection_) == CONNECTION_OK, "libpq does not connect");
    PQclear(PQprepare(connection_, "begin",
                      "INSERT INTO thread (tenant, name, epoch, holder) VALUES ('', $1::text, 1, $2::uuid)", 0,
                      nullptr));
}

postgres_batch_writer::~postgres_batch_writer() { PQfinish(connection_); }

void postgres_batch_writer::prepare_for(std::size_t blobs)
{
    for (; prepared_ <= blobs; ++prepared_) {
        PGresult* done = PQprepare(connection_, ("commit" + std::to_string(prepared_)).c_str(),
                                   commit_statement(prepared_).c_str(), 0, nullptr);
        require(PQresultStatus(done) == PGRES_COMMAND_OK, PQerrorMessage(connection_));
        PQclear(done);
    }
}

void postgres_batch_writer::make_threads(const std::vector<std::string>& names)
{
    require(PQenterPipelineMode(connection_) == 1, "no pipeline mode");
    for (const std::string& name : names) send("begin", {name, holder_of(name)}, {0, 1});
    finish(names.size(), false);
    require(PQexitPipelineMode(connection_) == 1, "the pipeline does not end");
}

commit_cost postgres_batch_writer::write(const noted_commits& commits, std::size_t batch)
{
    std::size_t blobs_max = 0;
    for (const noting_store::noted_commit& each : commits) blobs_max = std::max(blobs_max, each.draft.blobs.size());
    prepare_for(blobs_max);
    require(PQenterPipelineMode(connection_) == 1, "no pipeline mode");
    const commit_clock clock;
    for (std::size_t i = 0; i < commits.size(); i += batch) {
        const std::size_t end = std::min(i + batch, commits.size());
        for (std::size_t each = i; each < end; ++each) send_one(commits[each]);
        finish(end - i, true);
    }
    const commit_cost cost = clock.cost_of(commits.size());
    require(PQexitPipelineMode(connection_) == 1, "the pipeline does not end");
    return cost;
}

void postgres_batch_writer::send_one(const noting_store::noted_commit& one)
{
    const weft::checkpoint_draft& draft = one.draft;
    std::vector<std::string> values{one.thread.thread,
                                    holder_of(one.thread.thread),
                                    bytes_text(draft.id.value().bytes),
                                    std::to_string(static_cast<int>(draft.kind)),
                                    std::to_string(draft.step),
                                    std::to_string(postgres_bytes_of(draft)),
                                    draft.node,
                                    draft.graph,
                                    draft.graph_hash,
                                    draft.label,
                                    joined_texts(draft.links),
                                    draft.body};
    std::vector<int> formats{0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1};
    for (const weft::blob& each : draft.blobs) {
        values.push_back(bytes_text(each.hash.bytes));
        values.push_back(each.bytes);
        values.push_back(joined_texts(each.links));
        formats.insert(formats.end(), 3, 1);
    }
    send("commit" + std::to_string(draft.blobs.size()), values, formats);
}

void postgres_batch_writer::send(const std::string& statement, const std::vector<std::string>& values,
                                 const std::vector<int>& formats)
{
    std::vector<const char*> data;
    std::vector<int> lengths;
    for (const std::string& value : values) {
        data.push_back(value.c_str());
        lengths.push_back(static_cast<int>(value.size()));
    }
    require(PQsendQueryPrepared(connection_, statement.c_str(), static_cast<int>(values.size()), data.data(),
                                lengths.data(), formats.data(), 1) == 1,
            "libpq does not send");
}

void postgres_batch_writer::finish(std::size_t statements, bool gives_row)
{
    require(PQpipelineSync(connection_) == 1, "libpq does not send");
    for (std::size_t i = 0; i < statements; ++i) {
        PGresult* result = PQgetResult(connection_);
        require(PQresultStatus(result) == (gives_row ? PGRES_TUPLES_OK : PGRES_COMMAND_OK),
                PQerrorMessage(connection_));
        require(!gives_row || PQntuples(result) == 1, "a checkpoint was refused");
        PQclear(result);
        require(PQgetResult(connection_) == nullptr, "a statement has two results");
    }
    PGresult* end = PQgetResult(connection_);
    require(PQresultStatus(end) == PGRES_PIPELINE_SYNC, "a transaction did not end");
    PQclear(end);
    require(PQgetResult(connection_) == nullptr, "a batch has two ends");
}

}  // namespace weft_bench

#endif
