#include <weft/net/cassette.hpp>

#include "cassette_tape.hpp"

#include <utility>

namespace weft {

cassette::cassette(std::filesystem::path file, cassette_mode mode, cassette_options options)
    : tape_{std::make_shared<net_detail::cassette_tape>(std::move(file), mode, std::move(options))}
{
}

void cassette::save() const { tape_->save(); }

std::size_t cassette::size() const { return tape_->size(); }

std::size_t cassette::unused() const { return tape_->unused(); }

}  // namespace weft
