#include <weft/store/sealed_store.hpp>

#include "armour.hpp"
#include "store/record/hash_bytes.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace weft {

namespace {

using sealed_detail::armour_mark;
using sealed_detail::open_json;
using sealed_detail::open_text;
using sealed_detail::seal_as_json;
using sealed_detail::seal_as_text;
using store_detail::bytes_of_hash;

constexpr std::size_t lineages_max = 10'000;

std::string text_of_links(const std::vector<content_hash>& links)
{
    std::string text;
    for (const content_hash& link : links) text += bytes_of_hash(link);
    return text;
}

/** Its links, because it names blobs by their place among them; not its id, which a fork changes. */
sealed_place place_of_body(const content_hash& lineage, const std::vector<content_hash>& links)
{
    return sealed_place{"checkpoint of lineage"}.part(lineage.text()).part(text_of_links(links));
}

sealed_place place_of_blob(const content_hash& lineage, const blob& one)
{
    return sealed_place{"blob of lineage"}.part(lineage.text()).part(one.hash.text()).part(text_of_links(one.links));
}

error corrupt(const thread_key& thread, std::string what)
{
    return error{errc::store_corrupt, "thread " + thread.thread, std::move(what)};
}

/** What stands in front of a body. */
content_hash lineage_in(const thread_key& thread, const checkpoint& found)
{
    content_hash lineage;
    if (found.body.size() < lineage.bytes.size())
        throw corrupt(thread, "checkpoint " + std::to_string(found.sequence) + " is not sealed, or its body was cut");
    std::copy_n(found.body.begin(), lineage.bytes.size(), lineage.bytes.begin());
    return lineage;
}

/** All hashes of a draft or of blobs in one row, changed together, and put back. */
template <class Change>
void change_hashes(std::vector<content_hash>& links, std::vector<blob>& blobs, Change change)
{
    std::vector<content_hash> all = links;
    for (const blob& one : blobs) {
        all.push_back(one.hash);
        all.insert(all.end(), one.links.begin(), one.links.end());
    }
    change(all);
    auto next = all.begin();
    for (content_hash& link : links) link = *next++;
    for (blob& one : blobs) {
        one.hash = *next++;
        for (content_hash& link : one.links) link = *next++;
    }
}

// A place is sealed together with the text: moved to another row, the text cannot be opened.
sealed_place place_of_run(std::string_view what, const thread_key& thread, run_id run)
{
    return sealed_place{what}.part(thread.tenant).part(thread.thread).part(run.text());
}

sealed_place place_of_question(std::string_view what, const thread_key& thread, std::string_view address)
{
    return sealed_place{what}.part(thread.tenant).part(thread.thread).part(address);
}

/** Phase and key as well: an intent is no outcome, and neither belongs to another idempotency key. */
sealed_place place_of_effect(const thread_key& thread, const effect_record& effect)
{
    return sealed_place{"effect"}
        .part(thread.tenant)
        .part(thread.thread)
        .part(effect.address)
        .part(name_of(effect.phase))
        .part(effect.key);
}

}  // namespace

sealed_store::sealed_store(std::shared_ptr<checkpoint_store> inner, std::shared_ptr<const value_cipher> cipher)
    : forwarding_store{*inner}, owned_{std::move(inner)}, cipher_{std::move(cipher)}
{
}

std::optional<sealed_store::known_lineage> sealed_store::find_lineage(const thread_key& thread)
{
    const std::lock_guard lock{mutex_};
    const auto found = lineages_.find(thread);
    return found == lineages_.end() ? std::nullopt : std::optional{found->second};
}

void sealed_store::remember_lineage(const thread_key& thread, known_lineage what)
{
    const std::lock_guard lock{mutex_};
    // What is forgotten is looked up again; that is cheaper than to keep an order of use.
    if (lineages_.size() >= lineages_max) lineages_.clear();
    lineages_[thread] = what;
}

void sealed_store::forget_lineage(const thread_key& thread)
{
    const std::lock_guard lock{mutex_};
    lineages_.erase(thread);
}

/** The lineage of a thread's history; without one, the thread's own. */
task<content_hash> sealed_store::stored_lineage(thread_key thread)
{
    const std::optional<checkpoint> newest = co_await inner().load(thread, std::nullopt);
    if (newest) co_return lineage_in(thread, *newest);
    co_return cipher_->name(sealed_place{"lineage"}.part(thread.tenant).part(thread.thread).bytes());
}

/** As long as one holder has a thread, its lineage stays what it is: with every epoch it is looked up once. */
task<content_hash> sealed_store::lineage_for(thread_key thread, std::int64_t epoch)
{
    const std::optional<known_lineage> known = find_lineage(thread);
    if (known && known->epoch == epoch) co_return known->lineage;
    const content_hash lineage = co_await stored_lineage(thread);
    remember_lineage(thread, {lineage, epoch});
    co_return lineage;
}

task<commit_result> sealed_store::commit(write_fence fence, checkpoint_draft draft)
{
    const content_hash lineage = co_await lineage_for(fence.thread, fence.epoch);
    draft.body = std::string{bytes_of_hash(lineage)} + cipher_->seal(draft.body, place_of_body(lineage, draft.links));
    for (blob& one : draft.blobs) one.bytes = cipher_->seal(one.bytes, place_of_blob(lineage, one));
    // Hashes are hidden last, because the places above are made of the true ones.
    change_hashes(draft.links, draft.blobs,
                  [&](std::vector<content_hash>& all) { cipher_->hide(all, bytes_of_hash(lineage)); });
    const thread_key thread = fence.thread;
    const commit_result result = co_await inner().commit(std::move(fence), std::move(draft));
    // The history is another one than we know.
    if (result.state == write_state::fenced || result.state == write_state::stale_head) forget_lineage(thread);
    co_return result;
}

checkpoint sealed_store::opened(const thread_key& thread, checkpoint found)
{
    const content_hash lineage = lineage_in(thread, found);
    cipher_->reveal(found.links, bytes_of_hash(lineage));
    const std::string_view sealed = std::string_view{found.body}.substr(lineage.bytes.size());
    try {
        found.body = cipher_->open(sealed, place_of_body(lineage, found.links));
    } catch (const error& e) {
        if (e.code() != errc::store_corrupt) throw;
        throw corrupt(thread, "the body of checkpoint " + std::to_string(found.sequence) + ": " + e.detail());
    }
    // Of no epoch: a holder looks once for itself, a reader is content with this.
    if (!find_lineage(thread)) remember_lineage(thread, {lineage, -1});
    return found;
}

task<std::optional<checkpoint>> sealed_store::load(thread_key thread, std::optional<std::int64_t> sequence)
{
    std::optional<checkpoint> found = co_await inner().load(thread, sequence);
    if (found) found = opened(thread, std::move(*found));
    co_return found;
}

task<std::vector<blob>> sealed_store::read_hidden(thread_key thread, std::vector<content_hash> hashes,
                                                  content_hash lineage)
{
    cipher_->hide(hashes, bytes_of_hash(lineage));
    const std::unordered_set<content_hash> asked{hashes.begin(), hashes.end()};
    std::vector<blob> found = co_await inner().read_blobs(thread, std::move(hashes));
    // What came along may be damaged without being needed: it is not opened.
    std::erase_if(found, [&](const blob& one) { return !asked.contains(one.hash); });
    std::vector<content_hash> none;
    change_hashes(none, found, [&](std::vector<content_hash>& all) { cipher_->reveal(all, bytes_of_hash(lineage)); });
    for (blob& one : found) {
        try {
            one.bytes = cipher_->open(one.bytes, place_of_blob(lineage, one));
        } catch (const error& e) {
            if (e.code() != errc::store_corrupt) throw;
            throw corrupt(thread, "blob " + one.hash.text() + ": " + e.detail());
        }
    }
    co_return found;
}

task<std::vector<blob>> sealed_store::read_blobs(thread_key thread, std::vector<content_hash> hashes)
{
    const std::optional<known_lineage> known = find_lineage(thread);
    std::optional<error> failure;
    if (known) {
        try {
            std::vector<blob> found = co_await read_hidden(thread, hashes, known->lineage);
            co_return found;
        } catch (const error& e) {
            if (e.code() != errc::store_corrupt) throw;
            failure = e;
        }
    }
    // Another process may have dropped the thread and begun it anew.
    const content_hash lineage = co_await stored_lineage(thread);
    if (known && known->lineage == lineage) throw *failure;
    remember_lineage(thread, {lineage, -1});
    std::vector<blob> found = co_await read_hidden(std::move(thread), std::move(hashes), lineage);
    co_return found;
}

task<bool> sealed_store::fork(thread_key from, std::int64_t sequence, thread_key to, checkpoint_id id)
{
    const bool is_made = co_await inner().fork(std::move(from), sequence, to, id);
    if (is_made) forget_lineage(to);
    co_return is_made;
}

task<bool> sealed_store::drop(thread_key thread)
{
    const bool was_there = co_await inner().drop(thread);
    forget_lineage(thread);
    co_return was_there;
}

run_claim sealed_store::opened(run_claim claim) const
{
    claim.input = open_json(*cipher_, claim.input, place_of_run("input of run", claim.fence.thread, claim.fence.run));
    return claim;
}

run_record sealed_store::opened(run_record record) const
{
    record.input = open_json(*cipher_, record.input, place_of_run("input of run", record.thread, record.id));
    // The store below writes messages of its own, which hold nothing of ours.
    if (record.message.starts_with(armour_mark))
        record.message = open_text(*cipher_, record.message, place_of_run("message of run", record.thread, record.id));
    for (lost_attempt& each : record.lost_attempts)
        if (each.cause.starts_with(armour_mark))
            each.cause = open_text(*cipher_, each.cause, place_of_run("message of run", record.thread, record.id));
    return record;
}

task<run_admission> sealed_store::enqueue(new_run run)
{
    run.input = seal_as_json(*cipher_, run.input, place_of_run("input of run", run.thread, run.id));
    run_admission admission = co_await inner().enqueue(std::move(run));
    if (admission.claim) admission.claim = opened(std::move(*admission.claim));
    co_return admission;
}

task<bool> sealed_store::change_input(thread_key thread, run_id run, std::string input)
{
    input = seal_as_json(*cipher_, input, place_of_run("input of run", thread, run));
    return inner().change_input(std::move(thread), run, std::move(input));
}

task<std::vector<run_claim>> sealed_store::claim(worker_id worker, std::size_t max)
{
    std::vector<run_claim> claims = co_await inner().claim(worker, max);
    for (run_claim& claim : claims) claim = opened(std::move(claim));
    co_return claims;
}

task<std::optional<run_claim>> sealed_store::resume(worker_id worker, run_id run)
{
    std::optional<run_claim> claim = co_await inner().resume(worker, run);
    if (claim) claim = opened(std::move(*claim));
    co_return claim;
}

task<write_state> sealed_store::finish(write_fence fence, run_outcome outcome)
{
    if (!outcome.message.empty())
        outcome.message =
            seal_as_text(*cipher_, outcome.message, place_of_run("message of run", fence.thread, fence.run));
    return inner().finish(std::move(fence), std::move(outcome));
}

task<std::optional<run_record>> sealed_store::find_run(run_id run)
{
    std::optional<run_record> record = co_await inner().find_run(run);
    if (record) record = opened(std::move(*record));
    co_return record;
}

task<std::optional<run_record>> sealed_store::active_run(thread_key thread)
{
    std::optional<run_record> record = co_await inner().active_run(std::move(thread));
    if (record) record = opened(std::move(*record));
    co_return record;
}

task<write_state> sealed_store::record(write_fence fence, effect_record effect)
{
    effect.body = seal_as_json(*cipher_, effect.body, place_of_effect(fence.thread, effect));
    return inner().record(std::move(fence), std::move(effect));
}

task<std::vector<effect_record>> sealed_store::effects(thread_key thread)
{
    std::vector<effect_record> found = co_await inner().effects(thread);
    for (effect_record& effect : found)
        effect.body = open_json(*cipher_, effect.body, place_of_effect(thread, effect));
    co_return found;
}

task<write_state> sealed_store::ask(write_fence fence, question_record question)
{
    question.question = seal_as_json(*cipher_, question.question,
                                     place_of_question("question", fence.thread, question.address));
    return inner().ask(std::move(fence), std::move(question));
}

task<answer_state> sealed_store::answer(thread_key thread, std::string address, std::string answer)
{
    std::string sealed = seal_as_json(*cipher_, answer, place_of_question("answer", thread, address));
    return inner().answer(std::move(thread), std::move(address), std::move(sealed));
}

task<std::vector<question_record>> sealed_store::questions(thread_key thread)
{
    std::vector<question_record> found = co_await inner().questions(thread);
    for (question_record& one : found) {
        one.question = open_json(*cipher_, one.question, place_of_question("question", thread, one.address));
        if (one.phase == question_phase::open) continue;
        one.answer = open_json(*cipher_, one.answer, place_of_question("answer", thread, one.address));
    }
    co_return found;
}

}  // namespace weft
