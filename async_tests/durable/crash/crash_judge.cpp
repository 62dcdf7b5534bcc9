#include "crash_judge.hpp"

#include "crash_graph.hpp"
#include "durable/ledger.hpp"

#include <string_view>

namespace weft_crash {

namespace {

constexpr std::string_view no_key = "-";  // of an effect that another process had

/** A visit whose successor has begun was kept: it must not begin again. */
void note_begin(thread_story& story, std::set<std::string>& kept, const std::string& visit)
{
    ++story.begun[visit];
    if (kept.contains(visit)) story.wrong.push_back(visit + " began again, although it was completed and kept");
    for (std::string& before : visits_before(visit)) {
        if (!story.begun.contains(before)) story.wrong.push_back(visit + " began before " + before);
        kept.insert(std::move(before));
    }
}

/** An effect whose outcome is kept must not be called again. */
void note_call(thread_story& story, const std::string& effect, const std::string& key)
{
    story.keys[effect].insert(key);
    ++story.calls;
    if (story.paid.contains(key)) story.wrong.push_back("the effect " + effect + " was paid again");
}

void compare_effects(const thread_story& found, const thread_story& undisturbed, std::vector<std::string>& wrong)
{
    for (const auto& [address, keys] : undisturbed.keys)
        if (!found.keys.contains(address)) wrong.push_back("the effect " + address + " was lost");
    for (const auto& [address, keys] : found.keys) {
        if (!undisturbed.keys.contains(address)) wrong.push_back("the effect " + address + " should not be");
        if (keys.size() != 1) wrong.push_back("the effect " + address + " has several keys");
    }
}

}  // namespace

std::map<std::string, thread_story> read_stories(const std::string& ledger)
{
    std::map<std::string, thread_story> stories;
    std::map<std::string, std::set<std::string>> kept;
    for (const std::vector<std::string>& line : weft_tests::read_ledger(ledger, 5)) {
        if (line.size() < 2) continue;
        thread_story& story = stories[line[1]];
        if (line[0] == "reached") story.was_reached = true;
        if (line[0] == "lost") ++story.losses;
        if (line[0] == "trouble") story.wrong.push_back("an error was told: " + line.back());
        if (line[0] == "node") note_begin(story, kept[line[1]], line.at(2));
        if (line[0] == "paid") story.paid.insert(line.at(2));
        if (line[0] == "effect") note_call(story, line.at(2), line.at(3));
        if (line[0] != "end") continue;
        story.writes = std::stoull(line.at(2));
        story.steps = line.at(3);
        story.state = line.at(4);
    }
    return stories;
}

std::vector<std::string> judge_undisturbed(const thread_story& story)
{
    std::vector<std::string> wrong = story.wrong;
    for (const auto& [address, keys] : story.keys)
        for (const std::string& key : keys)
            if (key != no_key && !story.paid.contains(key))
                wrong.push_back("the outcome of the effect " + address + " is not kept");
    return wrong;
}

std::vector<std::string> judge(const thread_story& found, const thread_story& undisturbed, std::size_t kills)
{
    std::vector<std::string> wrong = found.wrong;
    if (found.state.empty()) wrong.push_back("it did not come to its end");
    else if (found.state != undisturbed.state) wrong.push_back("its state is " + found.state);
    if (found.steps != undisturbed.steps) wrong.push_back("it took " + found.steps + " steps");
    compare_effects(found, undisturbed, wrong);
    std::size_t begun_again = 0;
    for (const auto& [visit, times] : found.begun) begun_again += times - 1;
    if (found.begun.size() != undisturbed.begun.size())
        wrong.push_back(std::to_string(found.begun.size()) + " visits have begun");
    const std::size_t called_again = found.calls - found.keys.size();
    if (called_again > undisturbed.calls - undisturbed.keys.size() + (kills + found.losses) * visits_under_way_max)
        wrong.push_back(std::to_string(called_again) + " effects were called again");
    // What ran when the process died begins again; visits that asked begin again with each answer, as undisturbed.
    std::size_t usual = 0;
    for (const auto& [visit, times] : undisturbed.begun) usual += times - 1;
    if (begun_again > usual + (kills + found.losses) * visits_under_way_max)
        wrong.push_back(std::to_string(begun_again) + " visits began again");
    return wrong;
}

}  // namespace weft_crash
