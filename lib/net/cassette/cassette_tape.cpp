#include "cassette_tape.hpp"

#include "cassette_difference.hpp"
#include "cassette_file.hpp"
#include "cassette_request.hpp"
#include "hidden_names.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

namespace weft::net_detail {

namespace {

constexpr std::size_t exchange_overhead = 256;  // bytes of the file around headers and body

}  // namespace

cassette_tape::cassette_tape(std::filesystem::path file, cassette_mode mode, cassette_options options)
    : file_{std::move(file)}, mode_{mode}, options_{std::move(options)}
{
    const bool begins_empty =
        mode == cassette_mode::record || (mode == cassette_mode::record_missing && !std::filesystem::exists(file_));
    if (begins_empty) return;
    for (recorded_exchange& exchange : read_cassette(file_, options_.bytes_max)) {
        hide_names(exchange.request, options_);
        unused_[hash_of(exchange.request)].push_back(places_.size());
        places_.push_back({std::make_shared<const recorded_exchange>(std::move(exchange)), false});
    }
    if (mode == cassette_mode::record_missing) bytes_ = static_cast<std::size_t>(std::filesystem::file_size(file_));
}

cassette_tape::~cassette_tape()
{
    try {
        save();
    } catch (const error& e) {
        std::clog << "weft: " << e.what() << '\n';
    }
}

std::shared_ptr<const recorded_exchange> cassette_tape::take(const recorded_request& asked)
{
    const std::lock_guard lock{mutex_};
    const auto alike = unused_.find(hash_of(asked));
    if (alike == unused_.end()) return nullptr;
    const auto found = std::find_if(alike->second.begin(), alike->second.end(), [&](std::size_t candidate) {
        return is_same_request(places_[candidate].exchange->request, asked);
    });
    if (found == alike->second.end()) return nullptr;
    place& taken = places_[*found];
    alike->second.erase(found);
    taken.is_used = true;
    return taken.exchange;
}

error cassette_tape::miss(const recorded_request& asked, const std::string& endpoint) const
{
    const std::lock_guard lock{mutex_};
    std::string detail = "nothing is recorded in " + file_.string() + " for " + asked.method + " " + asked.url;
    std::size_t closest = 0;
    request_difference least;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!places_[i].exchange) continue;
        const request_difference other = difference_between(places_[i].exchange->request, asked);
        if (!least.text.empty() && other.count >= least.count) continue;
        if (other.count == 0) {
            detail += "; exchange " + std::to_string(i + 1) + " is for it and was given out before: record again";
            return error{errc::script_exhausted, endpoint, std::move(detail)};
        }
        least = other;
        closest = i + 1;
    }
    if (closest == 0)
        detail += "; the cassette is empty";
    else
        detail += "; the closest is exchange " + std::to_string(closest) + ", which " + least.text;
    return error{errc::script_exhausted, endpoint, std::move(detail)};
}

std::size_t cassette_tape::reserve()
{
    count_bytes(exchange_overhead);
    const std::lock_guard lock{mutex_};
    places_.push_back({nullptr, true});
    return places_.size() - 1;
}

void cassette_tape::put(std::size_t place, recorded_exchange exchange)
{
    auto shared = std::make_shared<const recorded_exchange>(std::move(exchange));
    const std::lock_guard lock{mutex_};
    places_[place].exchange = std::move(shared);
    is_changed_ = true;
}

void cassette_tape::count_bytes(std::size_t size)
{
    const std::lock_guard lock{mutex_};
    if (size > options_.bytes_max - std::min(bytes_, options_.bytes_max))
        throw error{errc::limit_reached, file_.string(),
                    "the recording is larger than its `bytes_max`; allow more, or record less"};
    bytes_ += size;
}

void cassette_tape::save()
{
    const std::lock_guard lock{mutex_};
    if (!is_changed_) return;
    std::vector<std::shared_ptr<const recorded_exchange>> exchanges;
    for (const place& p : places_)
        if (p.exchange) exchanges.push_back(p.exchange);
    write_cassette(file_, exchanges);
    is_changed_ = false;
}

std::size_t cassette_tape::size() const
{
    const std::lock_guard lock{mutex_};
    return static_cast<std::size_t>(
        std::count_if(places_.begin(), places_.end(), [](const place& p) { return p.exchange != nullptr; }));
}

std::size_t cassette_tape::unused() const
{
    const std::lock_guard lock{mutex_};
    return static_cast<std::size_t>(
        std::count_if(places_.begin(), places_.end(), [](const place& p) { return !p.is_used; }));
}

}  // namespace weft::net_detail
